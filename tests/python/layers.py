"""What absorbing layers throw back, as examples/waves/waves.cpp has it; which of their arguments are
refused. Leaves checksums that must be the same whatever computes.
"""

from pathlib import Path

import numpy as np

import goban

R = 0.5
checksums = []


def push(p, v, axis):
    v[...] -= R * goban.d(p, axis, onto="face")


def press(vx, vy, p):
    p[...] -= R * (goban.d(vx, "x", onto="center") + goban.d(vy, "y", onto="center"))


def pressure(kind, width, scale_is_field=False):
    n = 60 + 2 * width
    grid = goban.Grid((n, n), boundary=goban.constant(0))
    p, v = grid.field("p"), {a: grid.field("v" + a, location="face_" + a) for a in "xy"}
    p.fill(lambda x, y: np.exp(-((x - n / 2 - 3)**2 + (y - n / 2 - 3)**2) / 18))
    step, scale = goban.Program("waves"), -R
    if scale_is_field:
        scale = grid.field("scale").fill(-R)
    for axis in "xy":
        step.apply(push, p, v[axis], axis=axis)
        if kind == "pml":
            layers = goban.Pml(grid, speed=1, dt=R, frequency=0.01, width=width)
            layers.add_derivative(step, p, axis, into=v[axis], scale=-R)
    step.apply(press, v["x"], v["y"], p)
    if kind == "pml":
        for axis in "xy":
            layers.add_derivative(step, v[axis], axis, into=p, scale=scale)
    if kind == "sponge":
        goban.Sponge(grid, width=width).add_damping(step, p, *v.values())
    goban.Engine(step).run(180)
    checksums.append(p.checksum())
    return p.numpy()[width:n - width, width:n - width]


def refused(attempt, part):
    try:
        attempt()
    except goban.Error as error:
        assert part in str(error), str(error)
        return
    raise AssertionError(f"{part!r}: not refused")


free = pressure("none", 60)
everything = np.linalg.norm(pressure("none", 0) - free)
pml, sponge = (np.linalg.norm(pressure(kind, width) - free) / everything
               for kind, width in (("pml", 10), ("sponge", 20)))
assert pml < 2e-4 and sponge < 0.08, (pml, sponge)
assert np.array_equal(pressure("pml", 10, scale_is_field=True), pressure("pml", 10)), "scale"

tube = goban.Grid((64, 8), boundary=(goban.mirror, goban.periodic))
assert goban.Sponge(tube).sides == [("x", "low"), ("x", "high")], "sides that are not periodic"
u = tube.field("u").fill(1)
program = goban.Sponge(tube, width=4, strength=0.3, sides=[("x", "high")]).add_damping(
    goban.Program("damp"), u)
goban.Engine(program).run(1)
assert np.array_equal(u.numpy() < 1, np.arange(64)[:, None] + np.zeros(8) >= 60), u.numpy()[:, 0]
refused(lambda: goban.Sponge(tube, width=40), "layers of 40 cells are refused")
refused(lambda: goban.Sponge(tube, sides=[("z", "low")]), "axis 'z' is refused")
refused(lambda: goban.Pml(tube, 1, 0.5, 0.1, reflection=2), "reflection=2.0 is refused")
v = tube.field("v", components=2)
refused(lambda: goban.Pml(tube, 1, 0.5, 0.1).add_derivative(program, v, "x", u),
        "the derivative of 'v' into 'u' is refused")
Path("checksums").write_text(repr(checksums))
