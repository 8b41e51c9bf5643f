"""Grids of active cells: arrays of truth values say which, arrays of fields hold 0 elsewhere; steps
leave what NumPy leaves.
"""

import numpy as np

import goban

random = np.random.default_rng(3)
active = random.random((13, 10, 9)) < 0.6
grid = goban.Grid(active.shape, 0.5, boundary=(goban.periodic, goban.mirror, goban.constant(2)),
                  active=active)
u, v = grid.field("u"), grid.field("v", components=2)
u.inactive(goban.gradient(0.25))
values = random.random(active.shape)
u[...] = values
assert np.array_equal(u.numpy(), np.where(active, values, 0))
assert u.shape == active.shape and u.sum() == u.numpy().sum() or abs(
    u.sum() - u.numpy().sum()) < 1e-12


def look(u, site, v):
    v[0] = u(1, 0, 0) - u()
    v[1] = site.position("y") + u(0, 0, -1)


program = goban.Program("look")
program.apply(look, u, goban.site, v)
goban.Engine(program).run(1)
east, is_there = np.roll(values, -1, 0), np.roll(active, -1, 0)
expected = np.where(active, np.where(is_there, east, values + 0.25 * 0.5) - values, 0)
assert np.array_equal(v.numpy()[0], expected)
below = np.full(active.shape, 2.0)
below[:, :, 1:] = np.where(active[:, :, :-1], values[:, :, :-1], values[:, :, 1:] + 0.125)
y = (np.arange(10) + 0.5)[None, :, None] * 0.5
assert np.allclose(v.numpy()[1], np.where(active, y + below, 0), 0, 1e-15)
v.fill(lambda x, y, z: (x + 0 * y, y + 0 * z + 0 * x))
assert np.array_equal(v[1], np.where(active, y + 0 * values, 0))
for wrong in (lambda: goban.Grid((3, 3, 4), active=active), lambda: u.own()):
    try:
        wrong()
    except goban.Error:
        continue
    raise AssertionError("it is not refused")
print(f"{int(active.sum())} active cells")
