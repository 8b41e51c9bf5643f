import numpy as np
from numba import float32, njit, prange


@njit(fastmath=True)
def laplacian(u, k, j, i):
    return (u[k, j, i + 1] + u[k, j, i - 1] + u[k, j + 1, i] + u[k, j - 1, i] + u[k + 1, j, i]
            + u[k - 1, j, i] - float32(6) * u[k, j, i])


@njit(parallel=True, fastmath=True, cache=True)
def react(u, v, u_new, v_new):
    for k in prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            for i in range(1, u.shape[2] - 1):
                a, b = u[k, j, i], v[k, j, i]
                eaten = a * b * b
                u_new[k, j, i] = a + float32(0.16) * laplacian(u, k, j, i) - eaten + float32(0.035) * (float32(1) - a)
                v_new[k, j, i] = b + float32(0.08) * laplacian(v, k, j, i) + eaten - float32(0.1) * b


def prepare(device, *initial):
    now = [np.pad(values, 1) for values in initial]
    then = [np.zeros_like(u) for u in now]

    def step(n):
        nonlocal now, then
        for _ in range(n):
            react(*now, *then)
            now, then = then, now

    return step, lambda: [u[1:-1, 1:-1, 1:-1] for u in now]
