"""Ensembles."""

import subprocess

import numpy as np
import pytest

import extremal as ex


def test_a_member_is_a_run():
    model = ex.gallery("pendulum")
    ensemble = model.sweep(vary={"l": (1, 2, 5), "theta": np.array([0.1, 0.2])}, until=1, step=0.01)
    assert ensemble.members == len(ensemble) == 10 and ensemble.failed == 0
    member = 7
    values = {"l": ensemble["l"][member], "theta": ensemble["theta(0)"][member]}
    assert model.run(values=values, until=1, step=0.01).end["theta"] == ensemble["theta"][member]


def test_rows_do_not_depend_on_threads_and_are_those_of_the_program(program, tmp_path):
    wish = dict(random={"theta": ex.normal(0, 0.5), "l": (1, 2)}, samples=300, seed=7, until=1, step=0.01)
    model = ex.gallery("pendulum")
    one, two = model.sweep(**wish, threads=1), model.sweep(**wish, threads=2)
    assert all(np.array_equal(one[name], two[name]) for name in one.columns)
    file, own = tmp_path / "program.csv", tmp_path / "own.csv"
    arguments = ["--random", "theta=normal(0, 0.5)", "--random", "l=1:2", "--samples", "300", "--seed", "7"]
    steps = ["--until", "1", "--step", "0.01", "--out", str(file)]
    subprocess.run([program, "sweep", "gallery:pendulum", *arguments, *steps], check=True, capture_output=True)
    written = model.sweep(**wish, file=own)
    assert written.members == 300 and len(written) == 0
    assert own.read_bytes() == file.read_bytes()


def test_members_that_fail_are_rows():
    model = ex.Model("Collision", parameters={"a": 1.0}, coordinates={"x": 1.0}, lagrangian="x'^2/2 + a/x")
    ensemble = model.sweep(vary={"a": [0.001, 1.0]}, step=0.01, until=2)
    assert ensemble.status == ["finished", "failed"] and ensemble.failed == 1 and ensemble.reason[1]
    table = ensemble.to_polars()
    assert table["status"].to_list() == ensemble.status and table["member"].to_list() == [0, 1]


def test_recording():
    model = ex.gallery("pendulum")
    all_rows = model.sweep(vary={"theta": [0.1, 0.2]}, record="all", every=10, step=0.01, until=1)
    assert len(all_rows) == 22 and all_rows.members == 2
    assert "<table" in all_rows._repr_html_()
    for wrong in ({"record": "some"}, {"every": 3}, {"vary": {"theta": (0, 1)}}):
        with pytest.raises((ValueError, TypeError)):
            model.sweep(**{"vary": {"theta": [0.1]}, **wrong}, step=0.01, until=1)
    with pytest.raises(ex.SettingsError, match="thta"):
        model.sweep(vary={"thta": [1.0]}, step=0.01, until=1)
