"""Cart and pole from hanging to standing: the transcription of gallery/cart-pole-swing.toml with CasADi and IPOPT.

Needs `pip install casadi`. Prints steps, seconds of graph building, seconds of solution (time on the processor, the shortest of
several runs), iterations and cost. `EXTREMAL_PEER=python3 cargo bench -p extremal-engine -- cart-pole` puts them beside those of
extremal, with the Python that has casadi. Not needed by any test.
"""

import time

import casadi as ca
import numpy as np

CART, POLE, LENGTH, GRAVITY, LIMIT, DURATION = 1.0, 0.3, 0.5, 9.81, 20.0, 2.0


def lagrangian(q, v):
    kinetic = (CART + POLE) / 2 * v[0] ** 2 + POLE * LENGTH * ca.cos(q[1]) * v[0] * v[1] + POLE * LENGTH**2 / 2 * v[1] ** 2
    return kinetic - POLE * GRAVITY * LENGTH * ca.cos(q[1])


def build(steps):
    """The nonlinear program: midpoint rule, u constant per step with f- = f+ = h u / 2, rest at both ends."""
    h = DURATION / steps
    q0, q1, u = ca.SX.sym("q0", 2), ca.SX.sym("q1", 2), ca.SX.sym("u")
    action = h * lagrangian((q0 + q1) / 2, (q1 - q0) / h)
    push = ca.vertcat(h * u / 2, 0)
    step = ca.Function("step", [q0, q1, u], [-ca.gradient(action, q0) - push, ca.gradient(action, q1) + push])
    q, controls = ca.MX.sym("q", 2, steps + 1), ca.MX.sym("u", 1, steps)
    before, after = step.map(steps)(q[:, :-1], q[:, 1:], controls)
    at_rest = ca.MX.zeros(2, 1)
    rows = ca.horzcat(before, at_rest) - ca.horzcat(at_rest, after)
    program = {"x": ca.veccat(q, controls), "f": h * ca.sumsqr(controls), "g": ca.vec(rows)}
    options = {"ipopt.print_level": 0, "print_time": 0, "ipopt.sb": "yes", "ipopt.tol": 1e-10}
    return ca.nlpsol("cart_pole", "ipopt", program, options)


def solve(solver, steps):
    line = np.linspace([0.0, np.pi], [1.0, 0.0], steps + 1).ravel()
    guess = np.concatenate([line, np.zeros(steps)])
    lower = np.full(guess.size, -np.inf)
    upper = np.full(guess.size, np.inf)
    for ends in (slice(0, 2), slice(2 * steps, 2 * steps + 2)):
        lower[ends] = upper[ends] = line[ends]
    lower[2 * (steps + 1) :] = -LIMIT
    upper[2 * (steps + 1) :] = LIMIT
    return solver(x0=guess, lbx=lower, ubx=upper, lbg=0, ubg=0)


def main():
    for steps, rounds in ((50, 20), (400, 10), (3333, 3)):
        building, solution = [], []
        for _ in range(rounds):
            clock = time.process_time()
            solver = build(steps)
            building.append(time.process_time() - clock)
            clock = time.process_time()
            found = solve(solver, steps)
            solution.append(time.process_time() - clock)
            assert solver.stats()["success"]
        iterations, cost = solver.stats()["iter_count"], float(found["f"])
        print(steps, min(building), min(solution), iterations, cost)


if __name__ == "__main__":
    main()
