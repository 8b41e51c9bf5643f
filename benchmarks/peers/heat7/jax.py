from functools import partial

import jax
import jax.numpy as jnp


def diffuse(_, u):
    v = jnp.pad(u, 1)
    return u + 0.1 * (v[1:-1, 1:-1, 2:] + v[1:-1, 1:-1, :-2] + v[1:-1, 2:, 1:-1] + v[1:-1, :-2, 1:-1]
                      + v[2:, 1:-1, 1:-1] + v[:-2, 1:-1, 1:-1] - 6 * u)


@partial(jax.jit, donate_argnums=0)
def run(u, n):
    return jax.lax.fori_loop(0, n, diffuse, u)


def prepare(device, initial):
    jax.config.update("jax_platforms", device)
    u = jnp.asarray(initial)

    def step(n):
        nonlocal u
        u = run(u, n).block_until_ready()

    return step, lambda: [u]
