from functools import partial

import jax
import jax.numpy as jnp

WEIGHTS = -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560


def second(p, axis):
    wide = jnp.pad(p, [(4, 4) if a == axis else (0, 0) for a in range(3)])
    at = [jax.lax.slice_in_dim(wide, by, by + p.shape[axis], axis=axis) for by in range(9)]
    return WEIGHTS[0] * p + sum(WEIGHTS[d] * (at[4 - d] + at[4 + d]) for d in range(1, 5))


@partial(jax.jit, donate_argnums=(0, 1))
def run(p, before, s, n):
    def advance(_, fields):
        p, before = fields
        return 2 * p - before + s * sum(second(p, axis) for axis in range(3)), p
    return jax.lax.fori_loop(0, n, advance, (p, before))


def prepare(device, *initial):
    jax.config.update("jax_platforms", device)
    p, before, s = (jnp.asarray(values) for values in initial)

    def step(n):
        nonlocal p, before
        p, before = jax.block_until_ready(run(p, before, s, n))

    return step, lambda: [p]
