"""Bodies of Python: a D3Q19 fluid written here carries them, and they make it viscous."""

from pathlib import Path

import numpy as np

import goban

links = [(0, 0, 0)]
for x, y, z in (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), \
        (0, 1, 1), (0, 1, -1):
    links += [(x, y, z), (-x, -y, -z)]
weights = [1 / 3 if q == 0 else 1 / 18 if q < 7 else 1 / 36 for q in range(19)]
viscosity, drive = 0.1, 1e-5


def stream_collide(f, force, next, velocity, omega):
    g = [f[q](-c[0], -c[1], -c[2]) for q, c in enumerate(links)]
    total = [force[0]() + drive, force[1](), force[2]()]
    rho = sum(g[1:], g[0])
    u = [(sum(c[a] * one for c, one in zip(links, g) if c[a]) + 0.5 * total[a]) / rho
         for a in range(3)]
    uu, uf = sum(x * x for x in u), sum(x * y for x, y in zip(u, total))
    for a in range(3):
        velocity[a] = u[a]
    for q, c in enumerate(links):
        cu, cf = sum(c[a] * u[a] for a in range(3)), sum(c[a] * total[a] for a in range(3))
        rest = weights[q] * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * uu)
        push = weights[q] * (3 * cf - 3 * uf + 9 * cu * cf)
        next[q] = g[q] - omega * (g[q] - rest) + (1 - omega / 2) * push


grid = goban.Grid((16, 16, 16))
f, velocity = grid.field("f", components=19), grid.field("velocity", components=3)
next, force = f.like("next"), velocity.like("force")
for q in range(19):
    f[q] = weights[q]
bodies = goban.Bodies(grid, (2, 2, 1), viscosity, repulsion=1e-4)
bodies.pack(0.2)
assert len(bodies) == 49 and abs(bodies.hematocrit() - 0.2) < 0.02
before = bodies.positions
step = goban.Program("suspension")
step.apply(stream_collide, f, force, next, velocity, omega=1 / (0.5 + 3 * viscosity))
step.couple(bodies, velocity, force).swap(f, next)
simulation = goban.Simulation(grid, step, steps=30, directory="out_bodies")
simulation.bodies(bodies, at_end=True)
simulation.run()
assert (bodies.velocities[:, 0] > 1e-4).all()  # they are carried along
moved = (bodies.positions - before)[:, 0] % 16
assert np.allclose(np.linalg.norm(bodies.quaternions, axis=1), 1) and moved.min() > 1e-3
total = 30.5 * drive * 16**3  # what drives the fluid is its momentum and theirs
carried = bodies.velocities[:, 0].sum() * 4 / 3 * np.pi * 4
momentum = sum(c[0] * f[q].sum() for q, c in enumerate(links) if c[0])
assert abs(momentum + carried + force[0].sum() + 0.5 * drive * 16**3 - total) < 0.02 * total
assert (Path("out_bodies") / "suspension_bodies.0000030.vtp").stat().st_size > 49 * 8 * 20

bodies.place([(4, 5, 6), (12, 5, 6)], velocities=[(0.1, 0, 0), (0, 0, 0)])
assert np.array_equal(bodies.positions, [(4, 5, 6), (12, 5, 6)])
assert np.array_equal(bodies.velocities[0], (0.1, 0, 0))
other = goban.Grid((8, 8)).field("other", components=3)  # with the number that `f` has on its grid
middle = [(8, 8, 8)]
for wrong in (lambda: bodies.place([(4, 5, 6), (4.5, 5, 6)]), lambda: bodies.pack(0.95),
              lambda: goban.Bodies(grid, (2, 2), 0.1), lambda: bodies.hematocrit((0, 0, 0)),
              lambda: goban.Engine(goban.Program("p").couple(bodies, f, force)),
              lambda: goban.Engine(goban.Program("p").couple(bodies, other, other)),
              lambda: bodies.place([1, 2]), lambda: bodies.place("places"),
              lambda: bodies.place(middle, velocities=[(0, 0, 0), (1, 0, 0)]),
              lambda: bodies.place([*middle, (2, 2, 2)], velocities=[(0, 0, 0)]),
              lambda: bodies.place(middle, velocities=[(0, np.nan, 0)]),
              lambda: bodies.place(middle, quaternions=[(0, 0, 0, 0)]),
              lambda: bodies.place(middle, quaternions=[(2, 0, 0, 0)]),
              lambda: bodies.pack(np.nan), lambda: bodies.pack(-0.1),
              lambda: bodies.hematocrit((5, 5, 5), (5, 6, 6))):
    try:
        wrong()
    except goban.Error:
        continue
    raise AssertionError("it is not refused")
checksum = f.checksum()
print(f"checksum {checksum}")
