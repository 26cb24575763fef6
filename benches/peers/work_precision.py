"""Work-precision diagrams beside other programs: pip install heyoka rebound scipy numba numpy mpmath matplotlib.

    work_precision.py PROGRAM [--problems kepler,cluster] [--peers heyoka,numba] [--data points.json] [--plot diagrams.svg]

Four problems, each from the same start to the same end by every program, on one thread: the double pendulum, the Kepler orbit with eccentricity
0.6, the outer solar system, a hundred softened bodies. The error is the largest of all coordinates at the end, relative to the largest
coordinate there, against heyoka in long double. The work is the processor's time for that motion, taken from a motion several times as
long (`stretch`) where that is short, the least of several runs; what compiling takes is left out for all and printed beside. PROGRAM is the
release program `extremal`, whose own clock tells the time per step of `run`, with all that a run watches.

Every method runs with steps from coarse to fine, every adaptive one with tolerances. What is printed is the time at which each program's
best method has an error, read off the lines between its points.
"""

import argparse
import json
import math
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ERRORS = [1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-11, 1e-12]
SOLAR = Path(__file__).parents[2] / "crates/extremal-engine/benches/speed/outer-solar-system.toml"


# Problems --------------------------------------------------------------------------------------------------------------------


@dataclass
class Problem:
    name: str
    model: list  # what `extremal run` is told
    end: float
    stretch: int  # how many times as long the motion is that time is taken from
    coarsest: int  # the fewest steps worth trying
    patience: float  # seconds for a motion beyond which a method is not followed
    q: list
    v: list
    names: list  # of the coordinates in the model
    accelerations: object  # of heyoka's expressions
    jitted: object  # makes a function of numba's: state and velocities to accelerations
    bodies: object = None  # masses, constant of gravity, softening
    separable: bool = True
    truth: np.ndarray = None


def double_pendulum():
    gravity = 9.81

    def accelerations(q, v, sin, cos):
        s, c = sin(q[0] - q[1]), cos(q[0] - q[1])
        r1 = -v[1] * v[1] * s - 2 * gravity * sin(q[0])
        r2 = v[0] * v[0] * s - gravity * sin(q[1])
        det = 2 - c * c
        return [(r1 - c * r2) / det, (2 * r2 - c * r1) / det]

    def jitted(fast):
        from numba import njit

        @njit(fastmath=fast, inline="always")
        def f(q, v, a):
            s, c = math.sin(q[0] - q[1]), math.cos(q[0] - q[1])
            r1 = -v[1] * v[1] * s - 2 * gravity * math.sin(q[0])
            r2 = v[0] * v[0] * s - gravity * math.sin(q[1])
            det = 2 - c * c
            a[0], a[1] = (r1 - c * r2) / det, (2 * r2 - c * r1) / det

        return f

    def symbolic(q, v):
        import heyoka as hy

        return accelerations(q, v, hy.sin, hy.cos)

    return Problem("double pendulum", ["gallery:double-pendulum"], 5.0, 100, 10, 0.004, [2.0, 1.0], [0.0, 0.0], ["θ1", "θ2"], symbolic,
                   jitted, separable=False)  # fmt: skip


def kepler():
    def symbolic(q, v):
        pull = (q[0] ** 2 + q[1] ** 2) ** -1.5
        return [-q[0] * pull, -q[1] * pull]

    def jitted(fast):
        from numba import njit

        @njit(fastmath=fast, inline="always")
        def f(q, v, a):
            square = q[0] * q[0] + q[1] * q[1]
            pull = -1.0 / (square * math.sqrt(square))
            a[0], a[1] = pull * q[0], pull * q[1]

        return f

    start, speed = [1 - 0.6, 0.0], [0.0, math.sqrt(1.6 / 0.4)]
    return Problem("Kepler, e = 0.6", ["gallery:kepler"], 100.0, 20, 20, 0.01, start, speed, ["x", "y"], symbolic, jitted,
                   bodies=([1.0, 0.0], 1.0, 0.0))  # fmt: skip


def attracting(name, model, end, stretch, coarsest, patience, masses, places, velocities, gravity, softening):
    """Bodies that attract each other: coordinates are x of all of them, then y, then z."""
    n = len(masses)
    q, v = [list(np.array(of).T.ravel()) for of in (places, velocities)]
    names = [f"{axis}[{i}]" for axis in "xyz" for i in range(1, n + 1)]

    def symbolic(q, v):
        import heyoka as hy

        parts = [[] for _ in range(3 * n)]
        for i in range(n):
            for j in range(i + 1, n):
                apart = [q[k * n + j] - q[k * n + i] for k in range(3)]
                squares = [d**2 for d in apart] + ([hy.expression(softening**2)] if softening else [])
                pull = gravity * hy.sum(squares) ** -1.5
                for k in range(3):
                    parts[k * n + i].append(masses[j] * apart[k] * pull)
                    parts[k * n + j].append(-masses[i] * apart[k] * pull)
        return [hy.sum(part) for part in parts]

    def jitted(fast):
        from numba import njit

        m, soft = np.array(masses), softening**2

        @njit(fastmath=fast)
        def f(q, v, a):
            for i in range(n):
                x, y, z = q[i], q[n + i], q[2 * n + i]
                ax = ay = az = 0.0
                for j in range(n):
                    dx, dy, dz = q[j] - x, q[n + j] - y, q[2 * n + j] - z
                    square = dx * dx + dy * dy + dz * dz + soft
                    # A body is at its own place: its pull on itself is taken of no mass.
                    pull = m[j] / (square * math.sqrt(square)) if i != j else 0.0
                    ax, ay, az = ax + pull * dx, ay + pull * dy, az + pull * dz
                a[i], a[n + i], a[2 * n + i] = gravity * ax, gravity * ay, gravity * az

        return f

    return Problem(name, model, end, stretch, coarsest, patience, q, v, names, symbolic, jitted, bodies=(masses, gravity, softening))


def solar_system():
    import tomllib

    stated = tomllib.loads(SOLAR.read_text())
    masses = [1 / 1.3e8 if isinstance(m, str) else m for m in stated["parameters"]["m"]]
    of = [stated["coordinates"][axis] for axis in "xyz"]
    places, velocities = (np.array([axis[what] for axis in of], dtype=float).T for what in ("start", "velocity"))
    gravity = stated["parameters"]["G"]
    return attracting("outer solar system", [str(SOLAR)], 200000.0, 10, 50, 0.02, masses, places, velocities, gravity, 0.0)


def cluster():
    n, masses, places, velocities = 100, [], [], []
    for i in range(1, n + 1):
        c, r, angle = 2 * i / n - 1 - 1 / n, (i / n) ** (1 / 3), 2.399963 * i
        s, w = math.sqrt(1 - c * c), math.sqrt(i / n) / 2
        masses.append(2 * i / (n * (n + 1)))
        places.append([r * s * math.cos(angle), r * s * math.sin(angle), r * c])
        velocities.append([-w * math.sin(angle), w * math.cos(angle), 0.0])
    model = ["gallery:softened-cluster", "--set", f"n={n}"]
    return attracting("100 softened bodies", model, 5.0, 1, 10, 1.0, masses, places, velocities, 1.0, 0.5 / n ** (1 / 3))


PROBLEMS = {"pendulum": double_pendulum, "kepler": kepler, "solar": solar_system, "cluster": cluster}


# Measuring -------------------------------------------------------------------------------------------------------------------


def least_time(work):
    """The least processor's time of several runs."""
    times, begin = [], time.perf_counter()
    while not times or (len(times) < 7 and time.perf_counter() - begin < 0.5):
        clock = time.process_time()
        work()
        times.append(time.process_time() - clock)
    return min(times)


def error(problem, q):
    q = np.asarray(q, dtype=np.longdouble)
    scale = np.max(np.abs(problem.truth))
    apart = float(np.max(np.abs(q - problem.truth)) / scale)
    return apart if math.isfinite(apart) else math.inf


def by_steps(problem, program, method, run, growth=math.sqrt(2), most=4_000_000):
    """Points of one method from coarse steps to fine ones: `run(n)` gives the positions after so many steps and the time it takes."""
    points, best, worse, n = [], math.inf, 0, problem.coarsest
    while n <= most and worse < 2:
        count = round(n)
        try:
            q, seconds = run(count)
            apart = error(problem, q)
        except (subprocess.CalledProcessError, ValueError, ZeroDivisionError):
            apart = math.inf
        if apart < 0.1:
            points.append((apart, seconds))
            worse = worse + 1 if apart > best / 2 else 0
            best = min(best, apart)
            # A line below all that is asked for, or one that takes forever.
            if apart < ERRORS[-1] / 3 or seconds > problem.patience:
                break
        n *= growth
    if points:
        print(f"  {program:9} {method:34} {len(points):3} points, least error {best:.0e}", flush=True)
    return {"program": program, "method": method, "points": points}


def by_tolerances(problem, program, method, run, tolerances):
    points = []
    for tolerance in tolerances:
        q, seconds = run(tolerance)
        points.append((error(problem, q), seconds))
    points = [point for point in points if point[0] < 0.1]
    print(f"  {program:9} {method:34} {len(points):3} points, least error {min(p[0] for p in points):.0e}", flush=True)
    return {"program": program, "method": method, "points": points}


# Programs --------------------------------------------------------------------------------------------------------------------


def taylor(problem, scalar=float, **options):
    import heyoka as hy

    q, v = [hy.make_vars(*[f"{kind}{k}" for k in range(len(problem.q))]) for kind in "qv"]
    rates = list(zip(q, v)) + list(zip(v, problem.accelerations(q, v)))
    start = np.array(problem.q + problem.v).astype(scalar)
    clock = time.perf_counter()
    integrator = hy.taylor_adaptive(rates, start, fp_type=scalar, compact_mode=len(q) > 20, **options)

    def run(end):
        integrator.time, integrator.state[:] = scalar(0), start
        outcome = integrator.propagate_until(scalar(end))[0]
        if outcome != hy.taylor_outcome.time_limit:
            raise ValueError(str(outcome))
        return integrator.state[: len(q)].copy()

    return run, time.perf_counter() - clock


def find_truth(problem):
    fine, coarse = [taylor(problem, np.longdouble, tol=np.longdouble(tol))[0](problem.end) for tol in (1e-20, 1e-18)]
    problem.truth = fine
    print(f"## {problem.name} until t = {problem.end:g}; two references differ by {error(problem, coarse):.0e}", flush=True)
    if problem.name.startswith("Kepler"):
        import mpmath

        mpmath.mp.dps = 30
        anomaly = mpmath.findroot(lambda e: e - 0.6 * mpmath.sin(e) - problem.end, problem.end)
        closed = [np.longdouble(str(mpmath.cos(anomaly) - 0.6)), np.longdouble(str(0.8 * mpmath.sin(anomaly)))]
        print(f"   and from the closed form by {error(problem, closed):.0e}", flush=True)


def heyoka(problem):
    lines = []
    for accurate in (False, True):
        compiled = []

        def at(tolerance):
            run, seconds = taylor(problem, tol=tolerance, high_accuracy=accurate)
            compiled.append(seconds)
            return run(problem.end), least_time(lambda: run(problem.end * problem.stretch)) / problem.stretch

        tolerances = [1e-12, 1e-14, 1e-16] if accurate else [10.0**-k for k in range(3, 17)]
        method = "Taylor" + (", high accuracy" if accurate else "")
        lines.append(by_tolerances(problem, "heyoka", method, at, tolerances))
        print(f"            compiled in {max(compiled):.1f} s", flush=True)
    return lines


def rebound(problem):
    if problem.bodies is None:
        return []
    import rebound

    masses, gravity, softening = problem.bodies
    places = np.array(problem.q).reshape(-1, len(masses)) if len(problem.q) > 2 else np.array([[0.0, problem.q[0]], [0.0, problem.q[1]]])
    velocities = np.array(problem.v).reshape(-1, len(masses)) if len(problem.q) > 2 else np.array([[0.0, problem.v[0]], [0.0, problem.v[1]]])

    def simulation(integrator, **options):
        sim = rebound.Simulation()
        sim.G, sim.softening = gravity, softening
        for k, mass in enumerate(masses):
            x, v = places[:, k], velocities[:, k]
            third = (x[2], v[2]) if len(x) > 2 else (0.0, 0.0)
            sim.add(m=mass, x=x[0], y=x[1], z=third[0], vx=v[0], vy=v[1], vz=third[1])
        sim.integrator = integrator
        for key, value in options.items():
            setattr(sim.integrator, key, value)
        return sim

    def positions(sim):
        if len(problem.q) == 2:
            return [sim.particles[1].x, sim.particles[1].y]
        return [getattr(p, axis) for axis in "xyz" for p in sim.particles]

    def timed(make, go):
        """The end of the motion, and the time for it without that for getting ready."""
        sim = make()
        go(sim, 1)
        times = []
        begin = time.perf_counter()
        while not times or (len(times) < 7 and time.perf_counter() - begin < 0.5):
            longer = make()
            clock = time.process_time()
            go(longer, problem.stretch)
            times.append(time.process_time() - clock)
        return positions(sim), min(times) / problem.stretch

    def fixed(integrator, **options):
        def at(steps):
            def make():
                sim = simulation(integrator, **options)
                sim.dt = problem.end / steps
                return sim

            def go(sim, times):
                sim.steps(steps * times)
                sim.synchronize()

            return timed(make, go)

        name = integrator + "".join(f", {key} {value}" for key, value in options.items() if key != "safe_mode")
        return by_steps(problem, "REBOUND", name, at)

    def adaptive(integrator, keys, tolerances):
        def at(tolerance):
            return timed(
                lambda: simulation(integrator, **{key: tolerance for key in keys}),
                lambda sim, times: sim.integrate(problem.end * times),
            )

        return by_tolerances(problem, "REBOUND", integrator, at, tolerances)

    lines = [fixed("leapfrog", order=order) for order in (2, 4, 6, 8)]
    lines.append(adaptive("ias15", ["epsilon"], [10.0**k for k in (-1, -2, -3, -4, -5, -6, -7, -8, -9, -10)]))
    lines.append(adaptive("bs", ["eps_abs", "eps_rel"], [10.0**-k for k in range(4, 15)]))
    if softening == 0.0:
        lines.append(fixed("whfast", safe_mode=0))
        lines.append(fixed("whfast", safe_mode=0, corrector=17))
        lines += [fixed("saba", safe_mode=0, type=kind) for kind in ("8_6_4", "10_6_4", "H_10_6_4", "CL_4")]
    return lines


def scipy(problem):
    from numba import njit
    from scipy.integrate import solve_ivp

    f, n = problem.jitted(True), len(problem.q)

    @njit
    def rates(_, y):
        out = np.empty(2 * n)
        out[:n] = y[n:]
        f(y[:n], y[n:], out[n:])
        return out

    start = np.array(problem.q + problem.v)
    rates(0.0, start)
    lines = []
    for method in ("DOP853", "LSODA"):

        def at(tolerance):
            def run(end):
                return solve_ivp(rates, (0, end), start, method=method, rtol=tolerance, atol=tolerance).y[:n, -1]

            stretch = min(problem.stretch, 5)
            return run(problem.end), least_time(lambda: run(problem.end * stretch)) / stretch

        tolerances = [10.0**-k for k in range(3, 14)] + ([3e-14] if method == "DOP853" else [])
        lines.append(by_tolerances(problem, "SciPy", f"{method}, equations compiled", at, tolerances))
    return lines


def palindrome(outer):
    return [*outer, 1 - 2 * sum(outer), *outer[::-1]]


def explicit(tableau, weights, fast, f, n):
    """A Runge-Kutta method with fixed steps."""
    from numba import njit

    s = len(weights)
    a, b = np.zeros((s, s)), np.array(weights)
    for i, row in enumerate(tableau):
        a[i, : len(row)] = row

    @njit(fastmath=fast)
    def march(q, v, h, steps):
        kq, kv, qs, vs = np.empty((s, n)), np.empty((s, n)), np.empty(n), np.empty(n)
        for _ in range(steps):
            for i in range(s):
                for d in range(n):
                    x, w = 0.0, 0.0
                    for j in range(i):
                        x += a[i, j] * kq[j, d]
                        w += a[i, j] * kv[j, d]
                    qs[d], vs[d] = q[d] + h * x, v[d] + h * w
                kq[i] = vs
                f(qs, vs, kv[i])
            for d in range(n):
                x, w = 0.0, 0.0
                for j in range(s):
                    x += b[j] * kq[j, d]
                    w += b[j] * kv[j, d]
                q[d], v[d] = q[d] + h * x, v[d] + h * w

    return march


def embedded(fast, f, n):
    """DOP853 with its control of steps: every stage written out, without the zeros of the tableau."""
    from numba import njit
    from scipy.integrate._ivp import dop853_coefficients as dop

    stages = dop.N_STAGES

    def total(weights, of):
        return " + ".join(f"{float(w)!r} * {of}{j}[d]" for j, w in enumerate(weights) if w) or "0.0"

    lines = ["def march(q, v, h, end, tolerance):", "    t, steps = 0.0, 0"]
    lines += [f"    a{j} = np.empty({n})" for j in range(stages + 1)] + [f"    v{j} = np.empty({n})" for j in range(stages + 1)]
    lines += [f"    x, w = np.empty({n}), np.empty({n})", f"    for d in range({n}): v0[d] = v[d]", "    f(q, v0, a0)", "    while t < end:"]
    lines += ["        h = min(h, end - t)"]
    for i in range(1, stages):
        row = dop.A[i, :i]
        lines += [f"        for d in range({n}): x[d], v{i}[d] = q[d] + h * ({total(row, 'v')}), v[d] + h * ({total(row, 'a')})"]
        lines += [f"        f(x, v{i}, a{i})"]
    weights = dop.B[:stages]
    lines += [f"        for d in range({n}): x[d], w[d] = q[d] + h * ({total(weights, 'v')}), v[d] + h * ({total(weights, 'a')})"]
    lines += ["        fine, coarse = 0.0, 0.0", f"        for d in range({n}):"]
    for state, reached, of in (("q", "x", "v"), ("v", "w", "a")):
        lines += [f"            scale = tolerance * (1.0 + max(abs({state}[d]), abs({reached}[d])))"]
        lines += [f"            fine += (({total(dop.E5[:stages], of)}) / scale) ** 2"]
        lines += [f"            coarse += (({total(dop.E3[:stages], of)}) / scale) ** 2"]
    lines += [f"        both = (fine + 0.01 * coarse) * {2 * n}", "        error = h * fine / math.sqrt(both) if both > 0.0 else 0.0"]
    lines += ["        if error <= 1.0:", "            t, steps = t + h, steps + 1"]
    lines += [f"            for d in range({n}): q[d], v[d], v0[d] = x[d], w[d], w[d]", "            f(q, v0, a0)"]
    lines += ["        h *= min(6.0, max(0.333, 0.9 * error ** -0.125)) if error > 0.0 else 6.0", "    return steps"]
    space = {"np": np, "math": math, "f": f}
    exec("\n".join(lines), space)
    return njit(fastmath=fast)(space["march"])


def composition(fractions, fast, f, n):
    """Drifts and kicks: Störmer-Verlet over fractions of the step, the drifts of neighbours taken together."""
    from numba import njit

    kicks = np.array(fractions)
    drifts = np.concatenate([[kicks[0] / 2], (kicks[:-1] + kicks[1:]) / 2, [kicks[-1] / 2]])

    @njit(fastmath=fast)
    def march(q, v, h, steps):
        a, first = np.empty(n), drifts[0]
        for step in range(steps):
            for k in range(len(kicks)):
                by = h * (drifts[k] if k > 0 or step == 0 else 2 * first)
                for d in range(n):
                    q[d] += by * v[d]
                f(q, v, a)
                by = h * kicks[k]
                for d in range(n):
                    v[d] += by * a[d]
        for d in range(n):
            q[d] += h * first * v[d]

    return march


def numba(problem):
    from scipy.integrate._ivp import dop853_coefficients as dop

    n, lines = len(problem.q), []
    stages = dop.N_STAGES
    methods = {
        "RK4": (explicit, ([[], [0.5], [0, 0.5], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6])),
        "order 8 of DOP853, fixed steps": (explicit, ([dop.A[i, :i] for i in range(stages)], dop.B[:stages])),
    }
    if problem.separable:
        outer = 1 / (4 - 4 ** (1 / 3))
        methods |= {
            "Störmer-Verlet": (composition, ([1.0],)),
            "Suzuki 4": (composition, ([outer, outer, 1 - 4 * outer, outer, outer],)),
            "Kahan-Li 8": (composition, (palindrome(KAHAN_LI),)),
        }
    for method, (make, what) in methods.items():
        for fast in (False, True):
            clock = time.perf_counter()
            march = make(*what, fast, problem.jitted(fast), n)

            def motion(steps, times):
                q, v = np.array(problem.q), np.array(problem.v)
                march(q, v, problem.end / steps, steps * times)
                return q

            motion(1, 1)
            compiled = time.perf_counter() - clock

            def at(steps):
                return motion(steps, 1), least_time(lambda: motion(steps, problem.stretch)) / problem.stretch

            lines.append(by_steps(problem, "numba", method + (", fastmath" if fast else ""), at))
            print(f"            compiled in {compiled:.1f} s", flush=True)
    for fast in (False, True):
        march = embedded(fast, problem.jitted(fast), n)

        def adaptive(tolerance, times):
            q, v = np.array(problem.q), np.array(problem.v)
            march(q, v, 1e-3 * problem.end, problem.end * times, tolerance)
            return q

        def within(tolerance):
            return adaptive(tolerance, 1), least_time(lambda: adaptive(tolerance, problem.stretch)) / problem.stretch

        method = "DOP853" + (", fastmath" if fast else "")
        lines.append(by_tolerances(problem, "numba", method, within, [10.0**-k for k in range(3, 15)]))
    return lines


KAHAN_LI = [
    0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860, 0.15884190655515560089621075,
    -0.39590389413323757733623154, 0.18453964097831570709183254, 0.25837438768632204729397911, 0.29501172360931029887096624,
]  # fmt: skip

EXTREMAL = [
    *["trapezoidal", "suzuki4", "blanes-moan4", "blanes-moan6", "blanes-moan6-nystrom", "kahan-li8", "sofroniou-spaletta10"],
    *["wisdom-holman", "compose(suzuki4, wisdom-holman)", "compose(kahan-li8, wisdom-holman)"],
    *["gauss(3)", "gauss(4)", "gauss(6)", "gauss(8)", "galerkin(4)", "galerkin(6)", "galerkin(8)"],
]
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def extremal(problem, program, methods):
    lines = []
    for method in methods:
        ready = []

        def told(steps, times, *options):
            h = problem.end / steps
            command = [program, "run", *problem.model, "--method", method, "--step", repr(h), "--steps", str(steps * times), *options]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            if done.returncode == 2:
                raise NotImplementedError(done.stderr)
            done.check_returncode()
            return done.stdout

        def at(steps):
            end = json.loads(told(steps, 1, "--json"))["end"]["q"]
            times = max(problem.stretch, math.ceil(20_000 / steps) if problem.stretch > 1 else 1)
            each = []
            for _ in range(3):
                clock = re.search(r"\(([\d.]+) (\S+) of the processor per step\), ready in ([\d.]+) (\S+?)[\s,]", told(steps, times))
                each.append(float(clock[1]) * UNITS[clock[2]])
                ready.append(float(clock[3]) * UNITS[clock[4]])
            return [end[name] for name in problem.names], min(each) * steps

        # Stages of hundreds of coordinates that all depend on each other are written out, which takes minutes.
        if len(problem.q) > 100 and method.startswith(("gauss", "galerkin")):
            continue
        try:
            lines.append(by_steps(problem, "extremal", method, at))
        except NotImplementedError:
            print(f"  extremal  {method:34} is not defined here", flush=True)
            continue
        if ready:
            print(f"            ready in {min(ready):.2f} s", flush=True)
    return lines


# What came out ---------------------------------------------------------------------------------------------------------------


def time_at(points, wanted):
    """The least time at which a line of points has an error, or a smaller one; `None` where it does not get there."""
    best = min((seconds for apart, seconds in points if apart <= wanted), default=None)
    points = sorted(points, key=lambda point: -point[0])
    for (worse, quick), (better, slow) in zip(points, points[1:]):
        if better <= wanted <= worse and better < worse:
            part = math.log(worse / wanted) / math.log(worse / better)
            seconds = quick ** (1 - part) * slow**part
            best = min(best, seconds)
    return best


def table(name, lines):
    programs = list(dict.fromkeys(line["program"] for line in lines))
    print(f"\n### {name}\n\n| error | " + " | ".join(programs) + " |\n|" + " --- |" * (len(programs) + 1))
    for wanted in ERRORS:
        cells = []
        for program in programs:
            times = [(time_at(line["points"], wanted), line["method"]) for line in lines if line["program"] == program]
            times = [entry for entry in times if entry[0] is not None]
            cells.append(f"{1e3 * min(times)[0]:.3g} ms, {min(times)[1]}" if times else "")
        print(f"| {wanted:.0e} | " + " | ".join(cells) + " |", flush=True)


def plot(path, measured):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    colours = {"extremal": "#b3202c", "heyoka": "#1f6fb4", "REBOUND": "#2b8a3e", "SciPy": "#8a6d3b", "numba": "#7a4ea3"}
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), constrained_layout=True)
    for axis, (name, lines) in zip(axes.flat, measured.items()):
        for line in lines:
            points = sorted(line["points"], key=lambda point: -point[0])
            if points:
                own = line["program"] == "extremal"
                errors, seconds = zip(*points)
                axis.loglog(errors, seconds, ".-", color=colours[line["program"]], lw=1.6 if own else 0.8, ms=4, alpha=0.9)
        axis.set(title=name, xlabel="error", ylabel="seconds", xlim=(1e-2, 1e-13))
        axis.grid(alpha=0.3)
    for program, colour in colours.items():
        axes[0, 0].plot([], [], color=colour, label=program)
    axes[0, 0].legend()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--problems", default=",".join(PROBLEMS))
    parser.add_argument("--peers", default="heyoka,rebound,scipy,numba", help="`none` for extremal alone")
    parser.add_argument("--methods", default=";".join(EXTREMAL), help="of extremal, between semicolons")
    parser.add_argument("--data", type=Path, help="points are written there; those of programs that are not measured are kept")
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    measured = json.loads(given.data.read_text()) if given.data and given.data.exists() else {}
    peers = {"heyoka": heyoka, "rebound": rebound, "scipy": scipy, "numba": numba}
    for which in given.problems.split(","):
        problem = PROBLEMS[which]()
        find_truth(problem)
        lines = []
        for peer in given.peers.split(","):
            lines += peers[peer](problem) if peer in peers else []
        lines += extremal(problem, given.program, given.methods.split(";"))
        again = {(line["program"], line["method"]) for line in lines}
        kept = [line for line in measured.get(problem.name, []) if (line["program"], line["method"]) not in again]
        measured[problem.name] = kept + lines
        if given.data:
            given.data.write_text(json.dumps(measured))
    for name, lines in measured.items():
        table(name, lines)
    if given.plot:
        plot(given.plot, measured)


main()
