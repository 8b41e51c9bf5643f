import jax
import jax.numpy as jnp

STEPS = 8
WEIGHTS = -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560


def second(p, axis):
    wide = jnp.pad(p, [(4, 4) if a == axis else (0, 0) for a in range(3)])
    at = [jax.lax.slice_in_dim(wide, by, by + p.shape[axis], axis=axis) for by in range(9)]
    return WEIGHTS[0] * p + sum(WEIGHTS[d] * (at[4 - d] + at[4 + d]) for d in range(1, 5))


def squares(s, p, before):
    def advance(fields, _):
        p, before = fields
        return (2 * p - before + s * sum(second(p, axis) for axis in range(3)), p), None
    (p, _), _ = jax.lax.scan(advance, (p, before), None, length=STEPS)
    return (p**2).sum() / 2


def prepare(device, *initial):
    jax.config.update("jax_platforms", device)
    p, before, s = (jnp.asarray(values) for values in initial)
    value_and_gradient = jax.jit(jax.value_and_grad(squares))
    gradient = None

    def gradients(n):
        nonlocal gradient
        for _ in range(n):
            _, gradient = jax.block_until_ready(value_and_gradient(s, p, before))

    return gradients, lambda: [gradient]
