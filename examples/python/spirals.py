"""Spiral waves in an excitable medium (Barkley's model, Physica D 49, 1991, with his parameters): u
is excited where it is above a threshold that v raises, and spreads; v follows and puts it out. A
broken front curls up into spirals. The last line looks at the result as an array.
"""
import numpy as np

import goban

A, B, EPSILON, DT, H = 0.75, 0.06, 0.02, 0.005, 0.25  # H: spacing of the grid


def react(u, v, u_next, v_next):
    threshold = (v() + B) / A
    u_next[...] = (u() + DT / EPSILON * u() * (1 - u()) * (u() - threshold)
                   + DT / H**2 * goban.laplacian(u, axes=2))
    v_next[...] = v() + DT * (u() - v())


grid = goban.Grid(cells=(384, 256), spacing=H, boundary=goban.mirror)
u, v = grid.field("u", "float32"), grid.field("v", "float32")
u_next, v_next = u.like("u_next"), v.like("v_next")
u.fill(lambda x, y: np.where((x > 30) & (x < 33) & (y < 36), 1, 0))  # a front with a free end,
v.fill(lambda x, y: np.where((x < 30) & (y < 36), A / 2, 0))         # and what is tired behind it

step = goban.Program("spirals")
step.apply(react, u, v, u_next, v_next)
step.swap(u, u_next).swap(v, v_next)
simulation = goban.Simulation(grid, step, steps=8000, dt=DT)
simulation.picture(u, colors="thermal", range=(0, 1), every=2000)
simulation.series("excited", [goban.mean_of(u)], every=50)
simulation.progress().run()

excited = u.numpy() > 0.5
print(f"{100 * excited.mean():.1f} % of the medium is excited")
