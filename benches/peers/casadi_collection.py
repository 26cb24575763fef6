"""Control problems of two collections on the transcription of extremal, with CasADi and IPOPT, from the same straight guesses.

Needs `pip install casadi`. For each problem: how IPOPT ends from the straight guess, iterations, seconds (time on the processor, the
shortest of several runs) and objective. With the path of extremal the solutions of `extremal solve` stand beside, and IPOPT begins
once more at each of these: if it is one, it stays there. The models are in `collection/` beside this file.

    python casadi_collection.py [path of extremal] [names..]

Not needed by any test.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import casadi as ca
import numpy as np

MODELS = Path(__file__).parent / "collection"
TOLERANCE = 1e-10
ROUNDS = 3


class Program:
    """A nonlinear program that grows: variables with bounds and guess, rows with bounds, a cost."""

    def __init__(self):
        self.x, self.low, self.high, self.start, self.names = [], [], [], [], []
        self.g, self.g_low, self.g_high = [], [], []
        self.cost = 0

    def variables(self, name, rows, columns, low, high, start):
        symbol = ca.MX.sym(name, rows, columns)
        self.x.append(ca.vec(symbol))
        self.names.append(name)
        for into, values in ((self.low, low), (self.high, high), (self.start, start)):
            into.append(np.broadcast_to(np.asarray(values, dtype=float).reshape(rows, -1), (rows, columns)).ravel(order="F"))
        return symbol

    def rows(self, expression, low=0.0, high=0.0):
        count = expression.numel()
        self.g.append(ca.vec(expression))
        for into, values in ((self.g_low, low), (self.g_high, high)):
            values = np.asarray(values, dtype=float).reshape(-1)
            into.append(np.tile(values, count // values.size))

    def start_from(self, solution, coordinates, controls):
        """The solution that `extremal solve --json` printed as the guess."""
        columns = solution["columns"]
        values = {
            "T": np.array([solution["duration"]]),
            "x": np.array([columns[name] for name in coordinates]).ravel(order="F"),
            "u": np.array([columns[name][:-1] for name in controls]).ravel(order="F"),
            "v0": np.array([columns.get(name + "'", [0.0])[0] for name in coordinates]),
            "v1": np.array([columns.get(name + "'", [0.0])[-1] for name in coordinates]),
        }
        self.start = [values[name] for name in self.names]

    def solve(self, near=False):
        program = {"x": ca.vertcat(*self.x), "f": self.cost, "g": ca.vertcat(*self.g)}
        options = {"ipopt.print_level": 0, "print_time": 0, "ipopt.sb": "yes", "ipopt.tol": TOLERANCE, "ipopt.max_iter": 1000}
        if near:
            options["ipopt.mu_init"] = 1e-8
            options["ipopt.bound_push"] = options["ipopt.bound_frac"] = 1e-8
        solver = ca.nlpsol("collection", "ipopt", program, options)
        ends = [np.concatenate(part) for part in (self.start, self.low, self.high, self.g_low, self.g_high)]
        seconds = []
        for _ in range(ROUNDS):
            clock = time.process_time()
            found = solver(x0=np.clip(ends[0], ends[1], ends[2]), lbx=ends[1], ubx=ends[2], lbg=ends[3], ubg=ends[4])
            seconds.append(time.process_time() - clock)
            if seconds[-1] > 5.0:
                break
        stats = solver.stats()
        return min(seconds), stats["iter_count"], float(found["f"]), stats["return_status"]


def between(start, end, steps):
    """Straight lines between what is given at the ends."""
    fraction = np.linspace(0.0, 1.0, steps + 1)
    return np.array([a + (b - a) * fraction for a, b in zip(start, end)])


def states(steps, duration, start, end, rate, running=None, terminal=None, path=None, controls=(), bounds=None, at_end=None,
           at_nodes=None, in_steps=None, via=(), free_start=None):
    """x' = f(x, u, t) by the midpoint rule, u one value in each step. `start` and `end` have None where nothing is given."""
    n, program = len(start), Program()
    if isinstance(duration, tuple):
        length = program.variables("T", 1, 1, duration[0], duration[1], duration[2])
    else:
        length = ca.MX(duration)
    h = length / steps
    low, high = (np.full((n, steps + 1), sign * np.inf) for sign in (-1.0, 1.0))
    for k, (below, above) in (bounds or {}).items():
        low[k], high[k] = below, above
    for node, values in ((0, start), (steps, end), *((int(s * steps), values) for s, values in via)):
        for k, value in enumerate(values):
            if value is not None:
                low[k, node] = high[k, node] = value
    given = lambda a, b, k: a[k] if a[k] is not None else b[k] if b[k] is not None else 0.0
    guess = between([given(start, end, k) for k in range(n)], [given(end, start, k) for k in range(n)], steps)
    for s, values in via:
        for k, value in enumerate(values):
            if value is not None:
                at = [0.0, s, 1.0]
                guess[k] = np.interp(np.linspace(0, 1, steps + 1), at, [given(start, end, k), value, given(end, start, k)])
    x = program.variables("x", n, steps + 1, low, high, guess)
    u = program.variables("u", len(controls), steps, [c[0] for c in controls], [c[1] for c in controls], np.zeros((len(controls), 1)))
    middle, times = (x[:, :-1] + x[:, 1:]) / 2, (np.arange(steps) + 0.5)[None, :] * h
    xs, us, ts = ca.SX.sym("x", n), ca.SX.sym("u", len(controls)), ca.SX.sym("t")
    over = lambda expression: ca.Function("f", [xs, us, ts], [ca.vertcat(*expression)]).map(steps)(middle, u, times)
    nodes = lambda expression: ca.Function("f", [xs], [ca.vertcat(*expression)]).map(steps + 1)(x)
    program.rows(x[:, 1:] - x[:, :-1] - h * over(rate(xs, us, ts)))
    if running:
        program.cost += h * ca.sum2(over([running(xs, us, ts)]))
    if terminal:
        program.cost += terminal(x[:, -1])
    for condition, column in ((at_end, x[:, -1]), (free_start, x[:, 0])):
        for expression, below, above in condition(column) if condition else ():
            program.rows(expression, below, above)
    for expression, below, above in at_nodes(xs) if at_nodes else ():
        program.rows(nodes([expression]), below, above)
    for expression, below, above in in_steps(xs, us, ts) if in_steps else ():
        program.rows(over([expression]), below, above)
    return program


def mechanics(steps, duration, start, end, start_velocity, end_velocity, lagrangian, force, running, controls, bounds=None,
              rate_bounds=None):
    """The discrete Lagrange-d'Albert equations by the midpoint rule, controls constant in each step."""
    n, program = len(start), Program()
    if isinstance(duration, tuple):
        length = program.variables("T", 1, 1, duration[0], duration[1], duration[2])
    else:
        length = ca.MX(duration)
    h = length / steps
    low, high = (np.full((n, steps + 1), sign * np.inf) for sign in (-1.0, 1.0))
    for k, (below, above) in (bounds or {}).items():
        low[k], high[k] = below, above
    for node, values in ((0, start), (steps, end)):
        for k, value in enumerate(values):
            if value is not None:
                low[k, node] = high[k, node] = value
    given = lambda a, b, k: a[k] if a[k] is not None else b[k] if b[k] is not None else 0.0
    guess = between([given(start, end, k) for k in range(n)], [given(end, start, k) for k in range(n)], steps)
    q = program.variables("x", n, steps + 1, low, high, guess)
    u = program.variables("u", len(controls), steps, [c[0] for c in controls], [c[1] for c in controls], np.zeros((len(controls), 1)))
    hs, q0, q1, us, v0 = ca.SX.sym("h"), ca.SX.sym("q0", n), ca.SX.sym("q1", n), ca.SX.sym("u", len(controls)), ca.SX.sym("v", n)
    middle, rate = (q0 + q1) / 2, (q1 - q0) / hs
    action, push = hs * lagrangian(middle, rate), hs * ca.vertcat(*force(middle, rate, us)) / 2
    step = ca.Function("step", [q0, q1, us, hs], [-ca.gradient(action, q0) - push, ca.gradient(action, q1) + push])
    before, after = step.map(steps)(q[:, :-1], q[:, 1:], u, ca.repmat(h, 1, steps))
    momentum = ca.Function("p", [q0, v0], [ca.gradient(lagrangian(q0, v0), v0)])
    ends = []
    for name, values, column in (("v0", start_velocity, q[:, 0]), ("v1", end_velocity, q[:, -1])):
        fixed = [value is not None for value in values]
        bound = [([-np.inf, np.inf][side] if not known else value) for side in (0, 1) for known, value in zip(fixed, values)]
        average = [(given(end, start, k) - given(start, end, k)) / (duration[2] if isinstance(duration, tuple) else duration)
                   for k in range(n)]
        v = program.variables(name, n, 1, bound[:n], bound[n:], average)
        ends.append(momentum(column, v))
    program.rows(ca.horzcat(before, ends[1]) - ca.horzcat(ends[0], after))
    for k, (below, above) in (rate_bounds or {}).items():
        program.rows((q[k, 1:] - q[k, :-1]) / h, below, above)
    cost = ca.Function("cost", [q0, q1, us, hs], [hs * running(middle, rate, us)])
    program.cost = ca.sum2(cost.map(steps)(q[:, :-1], q[:, 1:], u, ca.repmat(h, 1, steps)))
    return program


def glider(steps, duration):
    def rate(x, u, t):
        r = (x[0] / 100 - 2.5) ** 2
        w = x[3] - 2.5 * (1 - r) * ca.exp(-r)
        q = 1.13 * 14 * ca.sqrt(x[2] ** 2 + w**2) / 2
        drag = 0.034 + 0.069662 * u[0] ** 2
        return [x[2], x[3], -q * (u[0] * w + drag * x[2]) / 100, q * (u[0] * x[2] - drag * w) / 100 - 9.81]

    return states(steps, (0, 1000, duration), [0, 1000, 13.23, -1.288], [None, 900, 13.23, -1.288], rate, terminal=lambda x: -x[0],
                  controls=[(0, 1.4)], bounds={0: (0, np.inf), 2: (0, np.inf)})


def block(steps):
    def height(x):
        return 1.5 * x**2 * ca.exp(2.5 - x)

    def slope(x):
        return 1.5 * (2 * x - x**2) * ca.exp(2.5 - x)

    return mechanics(steps, (0.1, 100, 3), [0], [10], [0], [0], lambda q, v: v[0] ** 2 * (1 + slope(q[0]) ** 2) / 2 - 9.81 * height(q[0]),
                     lambda q, v, u: [u[0] * ca.sqrt(1 + slope(q[0]) ** 2)], lambda q, v, u: 1, [(-10, 15)], {0: (0, 10)}, {0: (0, 100)})


def truck(guess):
    pi = np.pi

    def rate(x, u, t):
        x2, y2, th0, th1, th2, v0, d0 = ca.vertsplit(x)
        b01, b12 = th0 - th1, th1 - th2
        w0 = v0 / 0.4 * ca.tan(d0)
        w1 = v0 / 1.1 * ca.sin(b01) - 0.1 / 1.1 * ca.cos(b01) * w0
        v1 = v0 * ca.cos(b01) + 0.1 * ca.sin(b01) * w0
        w2 = v1 / 0.8 * ca.sin(b12) - 0.2 / 0.8 * ca.cos(b12) * w1
        v2 = v1 * ca.cos(b12) + 0.2 * ca.sin(b12) * w1
        return [v2 * ca.cos(th2), v2 * ca.sin(th2), w0, w1, w2, u[0], u[1]]

    return states(200, (1, 1000, guess), [0, 0, 0, 0, 0, None, None], [0, -2, None, None, pi / 2, None, None], rate,
                  running=lambda x, u, t: 1 + (x[2] - x[3]) ** 2 + (x[3] - x[4]) ** 2, controls=[(-1, 1), (-pi / 10, pi / 10)],
                  bounds={2: (-pi / 2, pi / 2), 3: (-pi / 2, pi / 2), 5: (-0.2, 0.2), 6: (-pi / 6, pi / 6)},
                  at_end=lambda x: [(x[2] - x[3], 0, 0), (x[3] - x[4], 0, 0)],
                  at_nodes=lambda x: [(x[2] - x[3], -pi / 2, pi / 2), (x[3] - x[4], -pi / 2, pi / 2)])


def bioreactor(steps):
    def rate(x, u, t):
        growth = 0.1 * x[1] / (x[1] + 0.05)
        light = ca.fmax(0, ca.sin(np.pi * t / 5)) ** 2
        return [light * x[0] / (1 + x[0]) - (0.005 + u[0]) * x[0], -growth * x[2] + u[0] * (x[0] - x[1]), (growth - u[0]) * x[2]]

    return states(steps, 200, [None] * 3, [None] * 3, rate, running=lambda x, u, t: -0.1 * x[1] / (x[1] + 0.05) * x[2] / 3,
                  controls=[(0, 1)], bounds={0: (0, np.inf), 1: (0, np.inf), 2: (0.001, np.inf)},
                  free_start=lambda x: [(x[0], 0.05, 0.25), (x[1], 0.5, 5), (x[2], 0.5, 3)])


def friction():
    limit = 0.6 * 9.81
    inf = np.inf
    return states(40, (0, 8, 4), [0, 0], [0, 0], lambda x, u, t: [u[3] - u[4], u[0] + u[1] - u[2]], running=lambda x, u, t: 1,
                  controls=[(-400, 400), (0, inf), (0, inf), (0, inf), (0, inf)], bounds={0: (0, 10), 1: (-100, 100)},
                  via=[(0.5, [10, 0])],
                  in_steps=lambda x, u, t: [(x[1] - u[3] + u[4], 0, 0), (u[1] + u[2], -inf, limit), (u[1] * u[3], -inf, 0),
                                            (u[2] * u[4], -inf, 0), (u[3] * u[4], -inf, 0),
                                            ((limit - u[1] - u[2]) * (u[3] + u[4]), -inf, 0)])


def cart_pole(guess):
    def lagrangian(q, v):
        return (0.25 * v[0] ** 2 + (v[0] ** 2 + ca.cos(q[1]) * v[0] * v[1] + v[1] ** 2 / 4) / 2 + v[1] ** 2 / 24
                + 9.81 * ca.cos(q[1]) / 2)

    return mechanics(100, (0, 100, guess), [0, 0], [None, np.pi], [0, 0], [None, 0], lagrangian, lambda q, v, u: [u[0], 0],
                     lambda q, v, u: 1, [(-5, 5)], {0: (-1, 1)}, {0: (-2, 2)})


def particle(steps, guess):
    return states(steps, (0, 100, guess), [1, 0], [2, None], lambda x, u, t: [x[1] * u[0] - 0.75 * u[0] ** 2, u[0] - x[1]],
                  running=lambda x, u, t: 1, controls=[(-1, 1)])


# Model, coordinates or states, controls, program.
COLLECTION = [
    ("hang-glider", ["x", "y", "vx", "vy"], ["cL"], lambda: glider(200, 100)),
    ("block-over-hill", ["x"], ["F"], lambda: block(300)),
    ("bioreactor", ["y", "s", "b"], ["u"], lambda: bioreactor(200)),
    ("dielectrophoretic-particle", ["x", "y"], ["u"], lambda: particle(100, 50)),
    ("truck and trailers", None, None, lambda: truck(500)),
    ("friction as complementarity", None, None, friction),
    ("cart and pole in least time", None, None, lambda: cart_pole(50)),
]


def main():
    program, wanted = (sys.argv[1:2] or [None])[0], sys.argv[2:]
    for name, coordinates, controls, build in COLLECTION:
        if wanted and name not in wanted:
            continue
        seconds, iterations, objective, status = build().solve()
        print(f"{name:30} IPOPT      {status:32} {iterations:5} iterations {seconds:8.3f} s  {objective:.10g}", flush=True)
        if program and coordinates:
            output = subprocess.run([program, "solve", str(MODELS / f"{name}.toml"), "--json"], capture_output=True, text=True).stdout
            solution = json.loads(output)
            print(f"{'':30} extremal   {solution['status']:32} {solution['iterations']:5} iterations {'':10}  {solution['objective']:.10g}")
            beside = build()
            beside.start_from(solution, coordinates, controls)
            seconds, iterations, objective, status = beside.solve(near=True)
            print(f"{'':30} from there {status:32} {iterations:5} iterations {seconds:8.3f} s  {objective:.10g}", flush=True)


if __name__ == "__main__":
    main()
