"""Sound from a point in two media, which leaves through absorbing layers (C-PML), and what receivers
hear of it: dp/dt = -K div v, dv/dt = -grad p / rho, with the density rho = 1.
"""
import numpy as np

import goban

N, H, STEPS, WIDTH = 120, 10.0, 500, 10  # m
DT, FREQUENCY = 0.6 * H / 2500 / 2**0.5, 12.0  # s, Hz


def push(p, v, w, r):
    v[...] -= r * goban.d(p, "x", onto="face")
    w[...] -= r * goban.d(p, "y", onto="face")


def press(v, w, c, p):  # c = -K dt / h
    p[...] += c() * (goban.d(v, "x", onto="center") + goban.d(w, "y", onto="center"))


def ricker(time):
    a = (np.pi * FREQUENCY * (time - 0.1))**2
    return (1 - 2 * a) * np.exp(-a)


grid = goban.Grid((N, N), spacing=H, boundary=goban.constant(0))
p, c = grid.field("p", "float32"), grid.field("c", "float32")
v, w = (grid.field("v" + axis, "float32", location="face_" + axis) for axis in "xy")
c.fill(lambda x, y: -np.where(y < N * H / 2, 2500.0, 1500.0)**2 * DT / H + 0 * x)
loud = goban.Parameter("loud")
layers = goban.Pml(grid, speed=2500, dt=DT, frequency=FREQUENCY, width=WIDTH)
step = goban.Program("waves")
step.apply(push, p, v, w, r=DT / H)
for axis, velocity in (("x", v), ("y", w)):
    layers.add_derivative(step, p, axis, into=velocity, scale=-DT / H)
step.apply(press, v, w, c, p)
for axis, velocity in (("x", v), ("y", w)):
    layers.add_derivative(step, velocity, axis, into=p, scale=c)
goban.inject(step.follow(loud, ricker), p, [(0.5 * N * H, 0.7 * N * H)], [loud])
shore = goban.Receivers(p, [(x, 0.8 * N * H) for x in np.linspace(0.2, 0.8, 10) * N * H])
shore.add_record(step)
simulation = goban.Simulation(grid, step, steps=STEPS, dt=DT)
simulation.picture(p, every=100, range=(-0.15, 0.15)).progress().run()
np.save("traces.npy", shore.traces)
print(f"heard at most {abs(shore.traces).max():.2f}, left of it {abs(p.numpy()).max():.1e}")
