from functools import partial

import jax
import jax.numpy as jnp

VELOCITIES = [(x, y, z) for z in (-1, 0, 1) for y in (-1, 0, 1) for x in (-1, 0, 1)
              if abs(x) + abs(y) + abs(z) < 3]
WEIGHTS = [(1 / 3, 1 / 18, 1 / 36)[abs(x) + abs(y) + abs(z)] for x, y, z in VELOCITIES]


def stream_collide(_, f):
    f = [jnp.roll(f[q], c, axis=(2, 1, 0)) for q, c in enumerate(VELOCITIES)]
    rho = sum(f)
    u, v, w = (sum(c[a] * f[q] for q, c in enumerate(VELOCITIES) if c[a]) / rho for a in range(3))

    def equilibrium(q):
        x, y, z = VELOCITIES[q]
        along = x * u + y * v + z * w
        return WEIGHTS[q] * rho * (1 + 3 * along + 4.5 * along * along - 1.5 * (u * u + v * v + w * w))

    return jnp.stack([f[q] - 1.6 * (f[q] - equilibrium(q)) for q in range(19)])


@partial(jax.jit, donate_argnums=0)
def run(f, n):
    return jax.lax.fori_loop(0, n, stream_collide, f)


def prepare(device, initial):
    jax.config.update("jax_platforms", device)
    f = jnp.asarray(initial)

    def step(n):
        nonlocal f
        f = run(f, n).block_until_ready()

    return step, lambda: f
