import numpy as np
from numba import cuda, float32


@cuda.jit(device=True, fastmath=True)
def laplacian(u, k, j, i):
    return (u[k, j, i + 1] + u[k, j, i - 1] + u[k, j + 1, i] + u[k, j - 1, i] + u[k + 1, j, i]
            + u[k - 1, j, i] - float32(6) * u[k, j, i])


@cuda.jit(fastmath=True, cache=True)
def react(u, v, u_new, v_new):
    i, j, k = cuda.grid(3)
    if i < u.shape[2] - 2 and j < u.shape[1] - 2 and k < u.shape[0] - 2:
        k, j, i = k + 1, j + 1, i + 1
        a, b = u[k, j, i], v[k, j, i]
        eaten = a * b * b
        u_new[k, j, i] = a + float32(0.16) * laplacian(u, k, j, i) - eaten + float32(0.035) * (float32(1) - a)
        v_new[k, j, i] = b + float32(0.08) * laplacian(v, k, j, i) + eaten - float32(0.1) * b


def prepare(device, *initial):
    nz, ny, nx = initial[0].shape
    now = [cuda.to_device(np.pad(values, 1)) for values in initial]
    then = [cuda.to_device(np.zeros(u.shape, "float32")) for u in now]

    def step(n):
        nonlocal now, then
        for _ in range(n):
            react[((nx + 63) // 64, (ny + 7) // 8, nz), (64, 8, 1)](*now, *then)
            now, then = then, now
        cuda.synchronize()

    return step, lambda: [u.copy_to_host()[1:-1, 1:-1, 1:-1] for u in now]
