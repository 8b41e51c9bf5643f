"""Heat by backward Euler, whose steps may be as long as one likes: each solves
t - r lap t = t before by conjugate gradients. A sine between cold walls stays one and becomes
1 / (1 + r k^2) of itself, where -k^2 is what lap makes of it.
"""
import numpy as np

import goban

N, R = 48, 10.0


def backward_euler(t, r):
    return t() - r * goban.laplacian(t, axes=2)


def copy(t, b):
    b[...] = t()


square = goban.Grid((N, N), boundary=goban.wall_value(0))
t, b, inverse = (square.field(name) for name in ("t", "b", "inverse"))
t.fill(lambda x, y: np.sin(np.pi * x / N) * np.sin(2 * np.pi * y / N))
before = t.numpy()
step = goban.Program("implicit_heat")
step.apply(copy, t, b)
solver = goban.ConjugateGradients(t, b, inverse.fill(1 / (1 + 4 * R)), backward_euler, r=R)
solver.add_solve(step, tolerance=1e-10, limit=200)
goban.Engine(step).run(5)
k2 = sum(4 * np.sin(n * np.pi / 2 / N)**2 for n in (1, 2))
print(f"relative error {abs(t.numpy() - before / (1 + R * k2)**5).max() / t.maximum():.1e}")
