import numpy as np
import warp as wp

wp.set_module_options({"max_unroll": 19})
velocities = np.array([(x, y, z) for z in (-1, 0, 1) for y in (-1, 0, 1) for x in (-1, 0, 1)
                       if abs(x) + abs(y) + abs(z) < 3])
Vector19 = wp.types.vector(19, float)
Matrix19 = wp.types.matrix((19, 3), int)
C = wp.constant(Matrix19(velocities))
W = wp.constant(Vector19(np.array([1 / 3, 1 / 18, 1 / 36])[abs(velocities).sum(1)]))


@wp.func
def wrap(k: int, n: int):
    if k < 0:
        return k + n
    if k >= n:
        return k - n
    return k


@wp.kernel(enable_backward=False)
def stream_collide(f: wp.array4d(dtype=float), after: wp.array4d(dtype=float)):
    k, j, i = wp.tid()
    g, u, rho = Vector19(), wp.vec3(), float(0.0)
    for q in range(19):
        g[q] = f[q, wrap(k - C[q, 2], f.shape[1]), wrap(j - C[q, 1], f.shape[2]), wrap(i - C[q, 0], f.shape[3])]
        rho += g[q]
        u += g[q] * wp.vec3(float(C[q, 0]), float(C[q, 1]), float(C[q, 2]))
    u /= rho
    for q in range(19):
        along = float(C[q, 0]) * u[0] + float(C[q, 1]) * u[1] + float(C[q, 2]) * u[2]
        equilibrium = W[q] * rho * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * wp.dot(u, u))
        after[q, k, j, i] = g[q] - 1.6 * (g[q] - equilibrium)


def prepare(device, initial):
    wp.set_device(device)
    fields = [wp.array(initial), wp.empty(initial.shape, dtype=float)]

    def step(n):
        for _ in range(n):
            wp.launch(stream_collide, initial.shape[1:], fields)
            fields.reverse()
        wp.synchronize()

    return step, lambda: fields[0].numpy()
