"""From the text of a double pendulum to rows in NumPy, all included: pip install extremal (the wheel), scipy, numpy, heyoka.

Each program derives what it needs, compiles, and gives the angles every 0.01 until the end. Times are those of the processor, in
one process each, imports not counted; SciPy is asked for fewer rows, and what a million would take is written beside it.
"""

import importlib.util
import subprocess
import sys
import time

import numpy as np

ROWS = {"extremal": 1_000_000, "heyoka": 1_000_000, "scipy": 20_000}
STEP, START = 0.01, (2.0, 1.0)

TEXT = """
coordinates = { a = 2.0, b = 1.0 }
definitions = { x1 = "sin(a)", y1 = "-cos(a)", x2 = "x1 + sin(b)", y2 = "y1 - cos(b)" }
dynamics.lagrangian = "(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - 9.81*(y1 + y2)"
"""


def extremal(rows):
    import extremal as ex

    begun = time.process_time()
    run = ex.Model.parse(TEXT).run(step=STEP, steps=rows)
    return np.stack([run["a"], run["b"]]), begun


def accelerations(a, b, va, vb, sin=np.sin, cos=np.cos):
    s, c = sin(a - b), cos(a - b)
    r1, r2 = -vb * vb * s - 2 * 9.81 * sin(a), va * va * s - 9.81 * sin(b)
    det = 2 - c * c
    return (r1 - c * r2) / det, (2 * r2 - c * r1) / det


def scipy(rows):
    import math

    from scipy.integrate import solve_ivp

    begun = time.process_time()
    rates = lambda _, y: [y[2], y[3], *accelerations(*y, math.sin, math.cos)]  # noqa: E731
    times = STEP * np.arange(rows + 1)
    return solve_ivp(rates, (0, times[-1]), [*START, 0, 0], method="DOP853", rtol=1e-8, atol=1e-8, t_eval=times).y[:2], begun


def heyoka(rows):
    import heyoka as hy

    begun = time.process_time()
    a, b, va, vb = hy.make_vars("a", "b", "va", "vb")
    aa, ab = accelerations(a, b, va, vb, hy.sin, hy.cos)
    integrator = hy.taylor_adaptive([(a, va), (b, vb), (va, aa), (vb, ab)], [*START, 0, 0], tol=1e-10)
    return integrator.propagate_grid(STEP * np.arange(rows + 1))[-1][:, :2].T, begun


def main(program):
    found, begun = {"extremal": extremal, "scipy": scipy, "heyoka": heyoka}[program](ROWS[program])
    seconds, rows = time.process_time() - begun, found.shape[1] - 1
    assert found.shape == (2, ROWS[program] + 1) and np.isfinite(found).all()
    million = "" if rows == 1_000_000 else f"{seconds * 1e6 / rows:.1f} s"
    print(f"| {program} | {rows} | {seconds:.2f} s | {million} |")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        for name in ROWS:
            if importlib.util.find_spec(name):
                subprocess.run([sys.executable, __file__, name], check=True)
