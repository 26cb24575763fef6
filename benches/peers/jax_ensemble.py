"""Many double pendulums by the midpoint rule in JAX: pip install "jax[cuda13]" for a GPU, jax alone for the processor.

The discrete Lagrangian is written down and differentiated by JAX; a step is three Newton iterations, a number that compiles to straight
code, with the solve of two equations written out. Members and steps may be given as arguments; starts are drawn from where
`benches/floors/gpu/double_pendulum.cu` draws them. Prints the time per member and step, the median of five calls on one device, compilation
not counted, and how much the energy changed: in the middle as much as with any other program of this method.
"""

import statistics
import sys
import time

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
G, H, ITERATIONS, ROUNDS = 9.81, 0.01, 3, 5


def lagrangian(q, v):
    kinetic = v[0] ** 2 + v[1] ** 2 / 2 + v[0] * v[1] * jnp.cos(q[0] - q[1])
    return kinetic + G * (2 * jnp.cos(q[0]) + jnp.cos(q[1]))


def discrete(a, b):
    return H * lagrangian((a + b) / 2, (b - a) / H)


slope_before, slope_after = jax.grad(discrete, 0), jax.grad(discrete, 1)


def residual(q, p, after):
    return p + slope_before(q, after)


jacobian = jax.jacfwd(residual, 2)


def step(state, _):
    q, p, before = state
    after = 2 * q - before
    for _ in range(ITERATIONS):
        r, j = residual(q, p, after), jacobian(q, p, after)
        update = jnp.array([r[0] * j[1, 1] - r[1] * j[0, 1], r[1] * j[0, 0] - r[0] * j[1, 0]])
        after = after - update / (j[0, 0] * j[1, 1] - j[0, 1] * j[1, 0])
    return (after, slope_after(q, after), q), None


def energy(q, p):
    cosine = jnp.cos(q[0] - q[1])
    kinetic = (p[0] ** 2 / 2 + p[1] ** 2 - p[0] * p[1] * cosine) / (2 - cosine**2)
    return kinetic - G * (2 * jnp.cos(q[0]) + jnp.cos(q[1]))


def main():
    members = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    steps = int(float(sys.argv[2])) if len(sys.argv) > 2 else 1000

    def member(q):
        return jax.lax.scan(step, (q, jnp.zeros(2), q), None, length=steps)[0][:2]

    march = jax.jit(jax.vmap(member))
    keys = jax.random.uniform(jax.random.key(0), (members, 2))
    starts = keys + jnp.array([2.0, 1.0])
    clock = time.perf_counter()
    q, p = jax.block_until_ready(march(starts))
    first = time.perf_counter() - clock
    times = []
    for _ in range(ROUNDS):
        clock = time.perf_counter()
        jax.block_until_ready(march(starts))
        times.append(time.perf_counter() - clock)
    changes = jnp.abs(jax.vmap(energy)(q, p) - jax.vmap(energy)(starts, jnp.zeros_like(starts)))
    print("| JAX on | members | steps | a step of a member | first call | median change of the energy |")
    print("| --- | --- | --- | --- | --- | --- |")
    taken = statistics.median(times) / members / steps * 1e9
    device = jax.devices()[0].device_kind
    print(f"| {device} | {members} | {steps} | {taken:.4f} ns | {first:.1f} s | {float(jnp.median(changes)):.1e} |")


main()
