import numpy as np
import taichi as ti

Field = ti.types.ndarray(dtype=ti.f32, ndim=3)


@ti.func
def laplacian(u: ti.template(), k, j, i):
    return (u[k, j, i + 1] + u[k, j, i - 1] + u[k, j + 1, i] + u[k, j - 1, i] + u[k + 1, j, i]
            + u[k - 1, j, i] - 6 * u[k, j, i])


@ti.kernel
def react(u: Field, v: Field, u_new: Field, v_new: Field):
    for k, j, i in ti.ndrange(*[(1, n - 1) for n in u.shape]):
        a, b = u[k, j, i], v[k, j, i]
        eaten = a * b * b
        u_new[k, j, i] = a + 0.16 * laplacian(u, k, j, i) - eaten + 0.035 * (1 - a)
        v_new[k, j, i] = b + 0.08 * laplacian(v, k, j, i) + eaten - 0.1 * b


def prepare(device, *initial):
    ti.init(arch=getattr(ti, device))
    now, then = ([ti.ndarray(ti.f32, [n + 2 for n in initial[0].shape]) for _ in "uv"] for _ in range(2))
    for u, other, values in zip(now, then, initial):
        u.from_numpy(np.pad(values, 1))
        other.fill(0)

    def step(n):
        nonlocal now, then
        for _ in range(n):
            react(*now, *then)
            now, then = then, now
        ti.sync()

    return step, lambda: [u.to_numpy()[1:-1, 1:-1, 1:-1] for u in now]
