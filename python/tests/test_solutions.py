"""Boundary and control problems."""

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
