"""Every notebook runs from its first cell to its last; those that the studio exports give its numbers."""

import json
import struct
import subprocess

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))


def test_there_are_five():
    assert len(NOTEBOOKS) == 5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "notebooks are kept without their outputs"
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output.data for cell in notebook.cells for output in cell.get("outputs", []) if output.output_type == "execute_result"]
    assert any({"text/html", "text/markdown", "image/png"} & set(data) for data in shown)


def answered(program: str, question: dict) -> dict:
    """What the studio answers: a letter, a length, and in it the length of the JSON in front of the numbers."""
    asked = json.dumps(question).encode()
    said = subprocess.run(
        [program, "studio", "--worker"], input=struct.pack("<I", len(asked)) + asked, capture_output=True, check=True
    ).stdout
    while said[:1] != b"a":
        said = said[5 + struct.unpack("<I", said[1:5])[0] :]
    (length,) = struct.unpack("<I", said[5:9])
    return json.loads(said[9 : 9 + length])


EXPORTED = [
    ("double-pendulum", {"values": [["g", 5.25], ["θ1'", 0.3]], "until": "2", "method": "galerkin(2)"}, ""),
    ("spring-in-gas", {"values": [["lambda", 0.1]], "step": "0.05"}, "# changed, with a '''quotation'''\n"),
    ("double-integrator", {"steps": 40}, "# changed\n"),
]


@pytest.mark.parametrize(("name", "settings", "added"), EXPORTED, ids=[name for name, *_ in EXPORTED])
def test_a_notebook_of_the_studio_gives_its_numbers(program, name, settings, added, tmp_path):
    text = (ROOT / "gallery" / f"{name}.toml").read_text() + added
    question = {"ask": "export", "text": text, "name": f"gallery:{name}", "target": "notebook", **settings}
    notebook = nbformat.reads(answered(program, question)["text"], as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    compared = [cell for cell in notebook.cells if "to the last digit" in cell.source]
    assert compared
    for cell in compared:
        (output,) = cell.outputs
        assert "True" in output.data["text/plain"] and "False" not in output.data["text/plain"], cell.source
