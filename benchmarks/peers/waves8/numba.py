import numpy as np
from numba import float32, njit, prange

W0, W1, W2, W3, W4 = (float32(w) for w in (-205 / 24, 8 / 5, -1 / 5, 8 / 315, -1 / 560))


@njit(fastmath=True)
def around(p, k, j, i, d):
    return p[k, j, i + d] + p[k, j, i - d] + p[k, j + d, i] + p[k, j - d, i] + p[k + d, j, i] + p[k - d, j, i]


@njit(parallel=True, fastmath=True, cache=True)
def advance(p, before, s):
    for k in prange(4, p.shape[0] - 4):
        for j in range(4, p.shape[1] - 4):
            for i in range(4, p.shape[2] - 4):
                laplacian = (W0 * p[k, j, i] + W1 * around(p, k, j, i, 1) + W2 * around(p, k, j, i, 2)
                             + W3 * around(p, k, j, i, 3) + W4 * around(p, k, j, i, 4))
                before[k, j, i] = (float32(2) * p[k, j, i] - before[k, j, i]
                                   + s[k - 4, j - 4, i - 4] * laplacian)


def prepare(device, p, before, s):
    fields = [np.pad(p, 4), np.pad(before, 4)]

    def step(n):
        for _ in range(n):
            advance(*fields, s)
            fields.reverse()

    return step, lambda: [fields[0][4:-4, 4:-4, 4:-4]]
