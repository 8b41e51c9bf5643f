import numpy as np

VELOCITIES = np.array([(x, y, z) for z in (-1, 0, 1) for y in (-1, 0, 1) for x in (-1, 0, 1)
                       if abs(x) + abs(y) + abs(z) < 3])
WEIGHTS = np.array([1 / 3, 1 / 18, 1 / 36], "float32")[abs(VELOCITIES).sum(1)]


def prepare(device, initial):
    f = initial.copy()

    def step(n):
        for _ in range(n):
            for q, velocity in enumerate(VELOCITIES):
                f[q] = np.roll(f[q], velocity, axis=(2, 1, 0))
            rho = f.sum(0)
            u = np.einsum("qa,qzyx->azyx", VELOCITIES.astype("float32"), f) / rho
            for q, velocity in enumerate(VELOCITIES):
                along = np.einsum("a,azyx->zyx", velocity.astype("float32"), u)
                equilibrium = WEIGHTS[q] * rho * (1 + 3 * along + 4.5 * along**2 - 1.5 * (u**2).sum(0))
                f[q] -= np.float32(1.6) * (f[q] - equilibrium)

    return step, lambda: f
