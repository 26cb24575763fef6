"""The double pendulum of `cargo xtask bench` by other programs: pip install heyoka casadi numba scipy numpy.

Each prints the processor's time per step of 0.01 (one row per program that is installed), and its error at t = 5, measured
against SciPy's DOP853 at rtol 3e-14. Compilation is not counted.
"""

import importlib.util
import math
import time

import numpy as np

G, START, H = 9.81, (2.0, 1.0), 0.01


def accelerations(a, b, va, vb, sin=math.sin, cos=math.cos):
    s, c = sin(a - b), cos(a - b)
    r1, r2 = -vb * vb * s - 2 * G * sin(a), va * va * s - G * sin(b)
    det = 2 - c * c
    return (r1 - c * r2) / det, (2 * r2 - c * r1) / det


def scipy_end(end, tolerance):
    from scipy.integrate import solve_ivp

    def rates(_, y):
        return [y[2], y[3], *accelerations(*y)]

    return solve_ivp(rates, (0, end), [*START, 0, 0], method="DOP853", rtol=tolerance, atol=tolerance).y[:2, -1]


def row(name, end, work):
    truth = scipy_end(5.0, 3e-14)
    error = np.max(np.abs(np.asarray(work(5.0)) - truth))
    clock = time.process_time()
    work(end)
    print(f"| {name} | {(time.process_time() - clock) / end * H * 1e9:.0f} ns | {error:.1e} |", flush=True)


def scipy():
    row("SciPy DOP853, rtol 1e-12", 20.0, lambda end: scipy_end(end, 1e-12))


def heyoka():
    import heyoka as hy

    a, b, va, vb = hy.make_vars("a", "b", "va", "vb")
    aa, ab = accelerations(a, b, va, vb, hy.sin, hy.cos)
    for tolerance in (1e-10, 1e-13):
        ta = hy.taylor_adaptive([(a, va), (b, vb), (va, aa), (vb, ab)], [*START, 0, 0], tol=tolerance)

        def work(end):
            ta.time, ta.state[:] = 0.0, [*START, 0, 0]
            ta.propagate_until(end)
            return ta.state[:2].copy()

        row(f"heyoka, tol {tolerance:.0e}", 2000.0, work)


def midpoint_residual(q, p, w, h, sin=math.sin, cos=math.cos):
    """p + h/2 L_q - L_v at the middle of a step with increment w."""
    a, b = q[0] + h / 2 * w[0], q[1] + h / 2 * w[1]
    s, c = sin(a - b), cos(a - b)
    turning = w[0] * w[1] * s
    l_q = [-turning - 2 * G * sin(a), turning - G * sin(b)]
    l_v = [2 * w[0] + w[1] * c, w[1] + w[0] * c]
    return l_q, l_v


def numba():
    from numba import njit

    @njit(fastmath=False)
    def march(steps, h):
        qa, qb, pa, pb, wa, wb = START[0], START[1], 0.0, 0.0, 0.0, 0.0
        for _ in range(steps):
            for _ in range(20):
                a, b = qa + h / 2 * wa, qb + h / 2 * wb
                s, c = math.sin(a - b), math.cos(a - b)
                t, k = wa * wb * s, wa * wb * c
                ra = 2 * wa + wb * c - h / 2 * (-t - 2 * G * math.sin(a)) - pa
                rb = wb + wa * c - h / 2 * (t - G * math.sin(b)) - pb
                cross, turning = h / 2 * (wa + wb) * s, h * h / 4 * k
                jaa = 2 + turning + h * h / 2 * G * math.cos(a)
                jbb = 1 + turning + h * h / 4 * G * math.cos(b)
                jab, jba = c - turning + cross, c - turning - cross
                det = jaa * jbb - jab * jba
                da, db = (ra * jbb - rb * jab) / det, (rb * jaa - ra * jba) / det
                wa, wb = wa - da, wb - db
                if max(abs(da), abs(db)) <= 1e-8 * max(abs(wa), abs(wb)):
                    break
            a, b = qa + h / 2 * wa, qb + h / 2 * wb
            t = wa * wb * math.sin(a - b)
            pa, pb = pa + h * (-t - 2 * G * math.sin(a)), pb + h * (t - G * math.sin(b))
            qa, qb = qa + h * wa, qb + h * wb
        return qa, qb

    march(10, H)
    row("numba, the midpoint rule by hand, step 0.01", 5000.0, lambda end: march(round(end / H), H))


def casadi():
    import casadi as ca

    q, p, w = ca.MX.sym("q", 2), ca.MX.sym("p", 2), ca.MX.sym("w", 2)
    l_q, l_v = midpoint_residual(ca.vertsplit(q), p, ca.vertsplit(w), H, ca.sin, ca.cos)
    residual = ca.vertcat(*l_v) - H / 2 * ca.vertcat(*l_q) - p
    newton = ca.rootfinder("newton", "newton", {"x": w, "p": ca.vertcat(q, p), "g": residual}, {"abstol": 1e-12})
    found = newton(w, ca.vertcat(q, p))
    momentum = ca.substitute(p + H * ca.vertcat(*l_q), w, found)
    step = ca.Function("step", [q, p, w], [q + H * found, momentum, found])

    def work(end):
        state = [ca.DM(START), ca.DM.zeros(2), ca.DM.zeros(2)]
        for _ in range(round(end / H)):
            state = step(*state)
        return np.asarray(state[0]).ravel()

    row("CasADi, the midpoint rule by its root finder, called from Python", 20.0, work)


if __name__ == "__main__":
    print("| program | a step of 0.01 | error at t = 5 |\n| --- | --- | --- |")
    for program in (scipy, heyoka, numba, casadi):
        if importlib.util.find_spec(program.__name__):
            program()
