import numpy as np
from numba import cuda, float32

W0, W1, W2, W3, W4 = (float32(w) for w in (-205 / 24, 8 / 5, -1 / 5, 8 / 315, -1 / 560))


@cuda.jit(device=True, fastmath=True)
def around(p, k, j, i, d):
    return p[k, j, i + d] + p[k, j, i - d] + p[k, j + d, i] + p[k, j - d, i] + p[k + d, j, i] + p[k - d, j, i]


@cuda.jit(fastmath=True, cache=True)
def advance(p, before, s):
    x, y, z = cuda.grid(3)
    if x < s.shape[2] and y < s.shape[1] and z < s.shape[0]:
        k, j, i = z + 4, y + 4, x + 4
        laplacian = (W0 * p[k, j, i] + W1 * around(p, k, j, i, 1) + W2 * around(p, k, j, i, 2)
                     + W3 * around(p, k, j, i, 3) + W4 * around(p, k, j, i, 4))
        before[k, j, i] = float32(2) * p[k, j, i] - before[k, j, i] + s[z, y, x] * laplacian


def prepare(device, p, before, s):
    nz, ny, nx = s.shape
    fields, squares = [cuda.to_device(np.pad(p, 4)), cuda.to_device(np.pad(before, 4))], cuda.to_device(s)

    def step(n):
        for _ in range(n):
            advance[((nx + 63) // 64, (ny + 7) // 8, nz), (64, 8, 1)](*fields, squares)
            fields.reverse()
        cuda.synchronize()

    return step, lambda: [fields[0].copy_to_host()[4:-4, 4:-4, 4:-4]]
