"""A wave enters through two sides and leaves through the others: u_t + a u_x + b u_y = 0 by WENO of
fifth order (Jiang and Shu, J. Comput. Phys. 126, 1996, 202) and three stages of Runge and Kutta, for
each of which the inflow has its own time.
"""
import math

import numpy as np

import goban

A, B, END = 1.0, 0.5, 0.5


def wave(x, y, t):
    return np.sin(2 * math.pi * (x + 0.5 * y - (A + 0.5 * B) * t))


def weno(a, b, c, d, e):
    """The value on the face behind c, of those of five cells in a row."""
    parts = ((0.1, a - 2 * b + c, a - 4 * b + 3 * c, 2 * a - 7 * b + 11 * c),
             (0.6, b - 2 * c + d, b - d, 5 * c - b + 2 * d),
             (0.3, c - 2 * d + e, 3 * c - 4 * d + e, 2 * c + 5 * d - e))
    weights = [share / (13 / 12 * bend**2 + slope**2 / 4 + 1e-6)**2
               for share, bend, slope, _ in parts]
    return sum(w * value / 6 for w, (*_, value) in zip(weights, parts)) / sum(weights)


def stage(u0, u, new, p, r):  # new = (1 - p) u0 + p (u + dt L(u)),  r = dt / h
    x, y = [u(i, 0) for i in range(-3, 3)], [u(0, j) for j in range(-3, 3)]
    change = sum(c * (weno(*q[1:]) - weno(*q[:-1])) for c, q in ((A, x), (B, y)))
    new[...] = (1 - p) * u0() + p * (u() - r * change)


def inflow(ghost, later):
    return wave(ghost.position("x"), ghost.position("y"), ghost.time() + later)


def outflow(ghost):  # cubic extrapolation to the n-th ghost
    n, (a, b, c, d) = ghost.depth(), (ghost.inside(m) for m in (1, 2, 3, 4))
    return (a * (n + 1) * (n + 2) * (n + 3) / 6 - b * n * (n + 2) * (n + 3) / 2
            + c * n * (n + 1) * (n + 3) / 2 - d * n * (n + 1) * (n + 2) / 6)


def error(n):
    """The mean error on n x n cells."""
    steps = math.ceil(END / (1.6 / n**(5 / 3)))
    dt = END / steps
    grid = goban.Grid((n, n), spacing=1 / n, boundary=goban.mirror)

    def field(name, later):
        sides = (goban.custom(inflow, later=later), goban.custom(outflow))
        return grid.field(name, boundary=(sides, sides))
    u, u1, u2, new = field("u", 0), field("u1", dt), field("u2", dt / 2), field("new", 0)
    u.fill(lambda x, y: wave(x, y, 0))
    step = goban.Program("advection")
    for of, to, p in ((u, u1, 1), (u1, u2, 1 / 4), (u2, new, 2 / 3)):
        step.apply(stage, u, of, to, p=p, r=n * dt)
    goban.Engine(step.swap(u, new), dt=dt).run(steps)
    x, y = u.positions("x")[:, None], u.positions("y")
    return abs(u - wave(x, y, END)).mean()


errors = [error(n) for n in (16, 32)]
print(f"errors {errors[0]:.2e}, {errors[1]:.2e}: order {math.log2(errors[0] / errors[1]):.2f}")
