"""Boundary and control problems."""

import subprocess

import numpy as np
import pytest

import extremal as ex


def test_the_double_integrator_has_its_closed_form():
    solution = ex.gallery("double-integrator").solve(steps=100)
    # Six, and what a hundred steps add to it.
    assert solution.status == "optimal" and abs(solution.objective - 6 / (1 - 1e-4)) < 1e-9
    assert len(solution["u"]) == len(solution.t) == 101 and solution.doubts == []
    finer = ex.gallery("double-integrator").solve(steps=200, start_from=solution)
    assert abs(finer.objective - 6) < abs(solution.objective - 6) / 3
    assert "<svg" in solution._repr_html_() and solution.summary["objective"] == solution.objective


def test_what_is_not_known_of_a_solution_is_said():
    found = ex.gallery("cart-pole-swing").solve()
    assert found.status == "unverified" and found.doubts


def test_what_is_no_solution_is_an_error_with_what_was_found():
    # One unit in one unit of time from rest to rest takes a force of four.
    weak = ex.Model(
        coordinates={"x": {}},
        lagrangian="x'^2/2",
        controls={"u": {"on": "x", "min": -1, "max": 1}},
        objective={"running": "u^2/2"},
        boundary={"duration": 1, "start": {"x": 0, "x'": 0}, "end": {"x": 1, "x'": 0}},
    )
    with pytest.raises(ex.UnsolvedError) as caught:
        weak.solve(steps=20)
    found = caught.value.partial
    assert found.status == "infeasible" and len(found["u"]) == 21
    with pytest.raises(ex.UnsupportedError):
        ex.gallery("pendulum").solve()
    with pytest.raises(ValueError, match="maximum"):
        ex.gallery("double-integrator").solve(seek="maximum")


LIMITS = dict(vary={"limit": [4.0, 10.0, 20.0]}, steps=40)


def test_many_problems_are_rows_and_those_of_the_program(program, tmp_path):
    model = ex.gallery("cart-pole-swing")
    many = model.solve_many(**LIMITS, threads=2)
    assert many.members == len(many) == 3 and many.failed == 1 and many.status[0] == "infeasible" and many.reason[0]
    assert [bool(warning) for warning in many.warning] == [status == "unverified" for status in many.status]
    alone = model.with_(limit=10.0).solve(steps=40)
    assert many["objective"][1] == alone.objective and many.status[1] == alone.status
    own, file = tmp_path / "own.parquet", tmp_path / "program.parquet"
    model.solve_many(**LIMITS, file=own)
    asked = ["--vary", "limit=4,10,20", "--steps", "40", "--rows", str(file)]
    subprocess.run([program, "solve", "gallery:cart-pole-swing", *asked], check=True, capture_output=True)
    assert own.read_bytes() == file.read_bytes()
    assert many.to_polars()["status"].to_list() == many.status and many.summary["statuses"]["infeasible"] == 1


def test_every_guess_is_a_row_and_a_part_has_its_bits():
    model = ex.gallery("cart-pole-swing")
    whole = model.solve_many(starts=3, seed=1, steps=20)
    assert whole["start"].tolist() == [0, 1, 2, 3]
    part = model.solve_many(starts=3, seed=1, steps=20, members=(1, 3))
    assert part.member.tolist() == [1, 2] and np.array_equal(part["objective"], whole["objective"][1:3])
    with pytest.raises(ex.SettingsError, match="no parameter"):
        model.solve_many(vary={"x": [0.0, 1.0]})
    with pytest.raises(TypeError, match="every"):
        model.solve_many(vary={"limit": [10.0]}, every=2)


def test_what_ends_many_problems_keeps_those_that_are_solved():
    def enough(done, total):
        assert total == 5000
        if done > 0:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as caught:
        ex.gallery("cart-pole-swing").solve_many(vary={"limit": (10, 20, 5000)}, steps=20, progress=enough)
    partial = caught.value.partial
    assert 0 < len(partial) < 5000 and partial.member.tolist() == list(range(len(partial)))
