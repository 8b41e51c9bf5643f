"""Heat spreads from the middle of a cube: the program of README.md, written in Python."""
import numpy as np

import goban


def diffuse(u, next, r):  # u' = u + r (sum of 6 neighbours - 6 u),  r = kappa dt / dx^2
    next[...] = u() + r * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1)
                           + u(0, 0, -1) - 6 * u())


grid = goban.Grid(cells=(512, 512, 512), spacing=1e-3)
u, next = grid.field("u", "float32"), grid.field("next", "float32")
u.fill(lambda x, y, z: np.exp(-1e2 * (x * x + y * y + z * z)))
step = goban.Program("diffusion")
step.apply(diffuse, u, next, r=0.1)
step.swap(u, next)
simulation = goban.Simulation(grid, step, steps=1000)
simulation.output([u], every=500).checkpoint(minutes=5).progress()
raise SystemExit(simulation.run().exit_code)  # 75: stopped early, saved
