"""A dam breaks beside a wall: the equations of shallow water with Rusanov's fluxes, and a time step
that follows the fastest wave. Water is kept to the last bits, energy is lost in the bores.
"""
import numpy as np

import goban

G, H = 9.81, 0.5  # m/s2, m: the spacing


def flux(a, b):
    """Between two states (h, momentum across, momentum along)."""
    def of(q):
        return q[1], q[1]**2 / q[0] + G / 2 * q[0]**2, q[1] * q[2] / q[0]
    fastest = np.maximum(*(abs(q[1] / q[0]) + goban.sqrt(G * q[0]) for q in (a, b)))
    return [(f + g - fastest * (q - p)) / 2 for f, g, p, q in zip(of(a), of(b), a, b)]


def advance(h, hu, hv, h_new, hu_new, hv_new, dt):
    rows = ([(h(i, 0), hu(i, 0), hv(i, 0)) for i in (-1, 0, 1)],
            [(h(0, j), hv(0, j), hu(0, j)) for j in (-1, 0, 1)])
    (west, east), (south, north) = ((flux(a, b), flux(b, c)) for a, b, c in rows)
    for new, q, x, y in ((h_new, h, 0, 0), (hu_new, hu, 1, 2), (hv_new, hv, 2, 1)):
        new[...] = q() - dt / H * (east[x] - west[x] + north[y] - south[y])


def speed(h, hu, hv):
    return np.maximum(abs(hu()), abs(hv())) / h() + goban.sqrt(G * h())


def energy(h, hu, hv):
    return (hu()**2 + hv()**2) / h() / 2 + G / 2 * h()**2


wall, still = goban.mirror, goban.wall_value(0)
basin = goban.Grid((80, 60), spacing=H, boundary=wall)
q = [basin.field(name, boundary=sides) for name, sides in
     (("h", wall), ("hu", (still, wall)), ("hv", (wall, still)))]
new = [one.like(one.name + "_new") for one in q]
q[0].fill(lambda x, y: np.where((x < 15) & (y < 20), 2.0, 1.0))
fastest, dt, joules = (goban.Parameter(name) for name in ("fastest", "dt", "energy"))
step = goban.Program("shallow_water")
step.reduce(speed, *q, how="maximum", into=fastest)
step.compute(lambda fastest: 0.4 * H / fastest, fastest, into=dt)
step.apply(advance, *q, *new, dt=dt)
for old_and_new in zip(q, new):
    step.swap(*old_and_new)
measure = goban.Program("measure")
measure.reduce(energy, *q, how="sum", into=joules)
before = q[0].sum()
simulation = goban.Simulation(basin, step, end=5.0, dt=dt).derive(measure)
simulation.series("energy", [goban.sum_of(q[0]), joules], every=10)
simulation.picture(q[0], every_time=2.5).progress().run()
print(f"water changed by {q[0].sum() / before - 1:.1e}, h from {q[0].minimum():.3f} m")
