"""Models: reading, stating, changing, copying, and what is wrong with them."""

import copy
import pickle

import pytest

import extremal as ex

SPRING = """
name = "Spring"
[parameters]
k = 4.0
[coordinates]
x = 1.0
[dynamics]
lagrangian = "x'^2/2 - k*x^2/2"
[simulation]
step = 0.01
until = 1.0
"""


def test_a_model_is_read_from_text_file_gallery_and_keywords(tmp_path):
    path = tmp_path / "spring.toml"
    path.write_text(SPRING)
    by_keywords = ex.Model(
        "Spring",
        parameters={"k": 4.0},
        coordinates={"x": {"start": 1.0}},
        lagrangian="x'^2/2 - k*x^2/2",
        simulation={"step": 0.01, "until": 1.0},
    )
    models = [ex.Model.parse(SPRING), ex.Model.read(path), by_keywords]
    ends = [model.run().end for model in models]
    assert ends[0] == ends[1] == ends[2]
    assert "kepler" in ex.gallery_names() and ex.gallery("kepler").coordinates == ("x", "y")


def test_parameters_are_given_by_keyword(tmp_path):
    path = tmp_path / "spring.toml"
    path.write_text(SPRING)
    model = ex.Model.read(path, k=9)
    assert model.parameters == {"k": 9.0}
    assert model.with_(k="3^2") != model and model.with_(k="3^2").run().end == model.run().end
    with pytest.raises(ex.ModelError, match="kk"):
        model.with_(kk=1)


def test_errors_show_their_place():
    with pytest.raises(ex.ModelError) as caught:
        ex.Model.parse(SPRING.replace("k*x^2", "kk*x^2 + 2y"))
    assert "^" in str(caught.value) or "━" in str(caught.value)
    first = caught.value.diagnostics[0]
    line, column = first.labels[0][0]
    assert SPRING.splitlines()[line - 1].startswith("lagrangian") and column > 10
    assert isinstance(caught.value, ValueError)
    with pytest.raises(FileNotFoundError):
        ex.Model.read("no such file")
    with pytest.raises(ex.FileError):
        ex.gallery("no such model")


def test_models_are_copied_and_pickled():
    model = ex.gallery("double-pendulum").with_(g=3)
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert other == model and hash(other) == hash(model)
        assert other.run(steps=10).end == model.run(steps=10).end
    assert ex.gallery("double-pendulum") != model
    assert pickle.loads(pickle.dumps(ex.normal(0, 2))) == ex.normal(0, 2)


def test_a_model_shows_itself():
    model = ex.Model.parse(SPRING)
    assert repr(model) == "<Model Spring: x>"
    assert model.tables["dynamics"]["lagrangian"] == "x'^2/2 - k*x^2/2"
    assert "Spring" in model._repr_html_()


def test_equations_are_text_latex_and_sections():
    equations = ex.Model.parse(SPRING).equations
    assert equations.lagrange["Equations of motion"][0].left == "k*x + x''"
    assert "H = " in equations.hamilton.text
    assert "x_1" in equations.discrete("midpoint").text
    assert r"\begin{aligned}" in equations._repr_markdown_() and r"\ddot" in equations.lagrange.latex
    with pytest.raises(KeyError, match="Momenta"):
        equations.lagrange["no such section"]
    with pytest.raises(ValueError):
        equations.discrete("no such method")


def test_the_text_of_equations_is_that_of_the_program(program, tmp_path):
    import subprocess

    path = tmp_path / "spring.toml"
    path.write_text(SPRING)
    said = subprocess.run([program, "derive", path, "--form", "hamilton"], capture_output=True, text=True, check=True)
    assert ex.Model.read(path).equations.hamilton.text.strip() in said.stdout


def test_an_analysis_has_proofs():
    found = ex.gallery("kepler").analyze()
    assert [c.name for c in found.conserved][:2] == ["energy", "angular momentum"]
    assert all(c.proved for c in found.conserved)
    assert "angular momentum" in found._repr_html_() and found.summary


def test_a_comparison_measures_orders():
    rows = ex.gallery("harmonic-oscillator").compare(methods=["midpoint", "rk4"], steps=[0.1, 0.05])
    assert [round(row["orders"][0]) for row in rows if row["orders"] and row["orders"][0]] == [2, 4]
