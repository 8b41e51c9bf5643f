import numpy as np

R = np.float32(0.1)


def prepare(device, initial):
    u = initial.copy()

    def step(n):
        for _ in range(n):
            u[...] += R * (sum(np.roll(u, by, axis) for axis in range(3) for by in (1, -1)) - 6 * u)

    return step, lambda: [u]
