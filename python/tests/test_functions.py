"""Compiled functions of the state."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import extremal as ex


def test_a_function_is_a_right_hand_side_for_scipy():
    model = ex.gallery("double-pendulum")
    f = model.function("θ1'", "θ2'", "θ1''", "θ2''")
    start = model.run(steps=1)
    names = ["θ1", "θ2", "θ1'", "θ2'"]
    by_scipy = solve_ivp(lambda t, y: f(t, *y), (0, 3), [start[n][0] for n in names], rtol=1e-11, atol=1e-12, method="DOP853")
    ours = model.run(method="dop853", step=0.1, until=3)
    assert abs(by_scipy.y[:, -1] - [ours.end[n] for n in names]).max() < 1e-7


def test_arrays_are_broadcast():
    f = ex.gallery("harmonic-oscillator", k=4, m=1).function("x''", "energy", "p_x")
    x, v = np.linspace(-1, 1, 5)[:, None], np.linspace(0, 2, 3)
    acceleration, energy, momentum = f(0.0, x, v)
    assert energy.shape == (5, 3)
    np.testing.assert_allclose(energy, v**2 / 2 + 2 * x**2, rtol=1e-15)
    np.testing.assert_allclose(acceleration, np.broadcast_to(-4 * x, (5, 3)), rtol=1e-15)
    np.testing.assert_array_equal(momentum, np.broadcast_to(v, (5, 3)))
    assert f(0.0, np.empty(0), 1.0).shape == (3, 0)


def test_a_function_of_a_run_is_an_observable():
    model = ex.gallery("kepler")
    run = model.run(until=5)
    momentum, energy = model.function("m*(x*y' - x'*y)", "energy")(run)
    assert np.ptp(momentum) < 1e-10
    # The energy of positions and velocities, as they are recorded.
    np.testing.assert_allclose(energy, run["energy"], rtol=1e-12)


def test_multipliers_and_definitions():
    rod = ex.Model(
        "Pendulum in the plane",
        coordinates={"x": {"start": 1.0}, "y": 0.0},
        definitions={"r2": "x^2 + y^2"},
        lagrangian="(x'^2 + y'^2)/2 - 9.81*y",
        constraints={"rod": "x^2 + y^2 = 1"},
    )
    f = rod.function("x''", "y''", "lambda_rod", "r2", "r2'")
    ax, ay, tension, r2, rate = f(0.0, 1.0, 0.0, 0.0, 2.0)
    # Horizontal, moving up with speed 2: the centripetal acceleration is 4, the fall is free.
    np.testing.assert_allclose([ax, ay, r2, rate], [-4, -9.81, 1, 0], atol=1e-14)
    assert abs(abs(tension) - 2) < 1e-14


def test_heat_has_temperatures_and_rates():
    model = ex.gallery("piston-between-gases")
    f, run = model.function("T_S1", "S1'"), model.run()
    temperature, rate = f(run)
    np.testing.assert_allclose(temperature, run["T_S1"], rtol=1e-9)
    # The rate of the entropy is its slope, to the order of differences.
    slope = np.gradient(run["S1"], run.t)
    assert np.abs(rate[5:-5] - slope[5:-5]).max() < 0.05 * np.abs(rate).max()


def test_what_is_wrong_with_an_expression_is_shown_there():
    model = ex.gallery("pendulum")
    with pytest.raises(ex.ModelError) as caught:
        model.function("theta", "2*thta")
    assert caught.value.diagnostics[0].labels[0][0] == (2, 3) and "theta" in str(caught.value)
    with pytest.raises(ex.UnsupportedError):
        model.function("theta'''")
    with pytest.raises(ex.SettingsError, match="3 numbers"):
        model.function("theta")(1.0)
    with pytest.raises(TypeError):
        model.function()
