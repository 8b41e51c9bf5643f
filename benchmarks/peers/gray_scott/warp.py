import numpy as np
import warp as wp

Field = wp.array3d(dtype=float)


@wp.func
def laplacian(u: Field, k: int, j: int, i: int):
    return (u[k, j, i + 1] + u[k, j, i - 1] + u[k, j + 1, i] + u[k, j - 1, i] + u[k + 1, j, i]
            + u[k - 1, j, i] - 6.0 * u[k, j, i])


@wp.kernel(enable_backward=False)
def react(u: Field, v: Field, u_new: Field, v_new: Field):
    k, j, i = wp.tid()
    k, j, i = k + 1, j + 1, i + 1
    a, b = u[k, j, i], v[k, j, i]
    eaten = a * b * b
    u_new[k, j, i] = a + 0.16 * laplacian(u, k, j, i) - eaten + 0.035 * (1.0 - a)
    v_new[k, j, i] = b + 0.08 * laplacian(v, k, j, i) + eaten - 0.1 * b


def prepare(device, *initial):
    wp.set_device(device)
    now = [wp.array(np.pad(values, 1)) for values in initial]
    then = [wp.zeros_like(u) for u in now]

    def step(n):
        nonlocal now, then
        for _ in range(n):
            wp.launch(react, initial[0].shape, now + then)
            now, then = then, now
        wp.synchronize()

    return step, lambda: [u.numpy()[1:-1, 1:-1, 1:-1] for u in now]
