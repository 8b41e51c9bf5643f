"""Light in a closed metal box, by Maxwell's equations on Yee's grid (IEEE Trans. Antennas Propag. 14,
1966, 302) in units where c = 1: E on edges, H on faces. A pulse of current rings at the frequencies
of the box, pi |(l / X, m / Y, n / Z)|, which the spectrum of the field at one point shows.
"""
import numpy as np

import goban

CELLS, H, STEPS = (24, 20, 16), 1 / 20, 3000
DT = H / 2


def curl(u, onto):
    a, b, c = u
    return [goban.d(q, m, onto=onto) - goban.d(p, n, onto=onto)
            for q, m, p, n in ((c, "y", b, "z"), (a, "z", c, "x"), (b, "x", a, "y"))]


def faraday(ex, ey, ez, hx, hy, hz, r):  # dH/dt = -curl E,  r = dt / h
    for h, rotation in zip((hx, hy, hz), curl((ex, ey, ez), "center")):
        h[...] -= r * rotation


def ampere(hx, hy, hz, ex, ey, ez, r):  # dE/dt = curl H
    for e, rotation in zip((ex, ey, ez), curl((hx, hy, hz), "face")):
        e[...] += r * rotation


def current(time):
    x = time / (8 * H) - 5
    return x * np.exp(-x * x)


box = goban.Grid(CELLS, spacing=H, boundary=goban.wall_value(0))  # E along metal is 0
e = [box.field("e" + axis, location="edge_" + axis) for axis in "xyz"]
h = [box.field("h" + axis, location="face_" + axis) for axis in "xyz"]
pulse, ear = goban.Parameter("pulse"), goban.Receivers(e[2], [(0.7, 0.4, 0.3)])
step = goban.Program("maxwell")
step.apply(faraday, *e, *h, r=DT / H)
step.apply(ampere, *h, *e, r=DT / H)
goban.inject(step.follow(pulse, current), e[2], [(0.33, 0.29, 0.23)], [pulse])
ear.add_record(step)
goban.Engine(step, dt=DT).run(STEPS)

trace = ear.traces[int(100 * H / DT):, 0]  # when the current is over
spectrum = np.abs(np.fft.rfft(trace * np.hanning(len(trace)), 16 * len(trace)))
omega = 2 * np.pi * np.fft.rfftfreq(16 * len(trace), DT)
for mode in ((1, 1, 0), (2, 1, 0), (1, 1, 1), (2, 1, 1)):
    exact = np.pi * np.linalg.norm(np.array(mode) / np.array(CELLS) / H)
    near = abs(omega / exact - 1) < 0.03
    found = omega[near][spectrum[near].argmax()]
    print(f"mode {mode}: {found:.4f}, exactly {exact:.4f}, {found / exact - 1:.2%}")
