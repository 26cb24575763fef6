"""The softened cluster of the gallery by REBOUND's leapfrog: pip install rebound.

Prints the processor's time per step of 0.01 of REBOUND and of `extremal run`, whose path is the first argument, getting ready not counted,
and how far both are apart after the first hundred steps: they take the same steps up to where these begin.
"""

import json
import math
import resource
import subprocess
import sys
import time

import rebound

H = 0.01


def cluster(n):
    """Mass, positions and velocities of each body, as gallery/softened-cluster.toml has them."""
    for i in range(1, n + 1):
        c, r, angle = 2 * i / n - 1 - 1 / n, (i / n) ** (1 / 3), 2.399963 * i
        s, w = math.sqrt(1 - c * c), math.sqrt(i / n) / 2
        place = (r * s * math.cos(angle), r * s * math.sin(angle), r * c)
        yield 2 * i / (n * (n + 1)), place, (-w * math.sin(angle), w * math.cos(angle), 0.0)


def simulation(n):
    sim = rebound.Simulation()
    sim.integrator, sim.dt, sim.softening = "leapfrog", H, 0.5 / n ** (1 / 3)
    for mass, place, velocity in cluster(n):
        sim.add(m=mass, x=place[0], y=place[1], z=place[2], vx=velocity[0], vy=velocity[1], vz=velocity[2])
    return sim


def rebound_time(n, steps):
    sim = simulation(n)
    clock = time.process_time()
    sim.steps(steps)
    return (time.process_time() - clock) / steps


def extremal(program, n, steps):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [program, "run", "gallery:softened-cluster", "--set", f"n={n}", "--steps", str(steps), "--json"]
    end = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["end"]
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, end


def main():
    program = sys.argv[1]
    print("| bodies | REBOUND leapfrog | extremal run | apart |\n|---|---|---|---|")
    for n, steps in [(16, 100_000), (50, 20_000), (200, 2_000), (1000, 100), (10_000, 4)]:
        sim = simulation(n)
        sim.steps(100 if n < 10_000 else 2)
        _, end = extremal(program, n, 100 if n < 10_000 else 2)
        apart = max(abs(p.x - end["q"][f"x[{i}]"]) for i, p in enumerate(sim.particles, 1))
        ours = (extremal(program, n, 2 * steps)[0] - extremal(program, n, steps)[0]) / steps
        print(f"| {n} | {rebound_time(n, steps) * 1e6:.1f} µs | {ours * 1e6:.1f} µs | {apart:.0e} |", flush=True)


main()
