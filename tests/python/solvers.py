"""Solvers, samples, sources and receivers of scripts, beside NumPy. Leaves checksums that must be
the same whatever computes.
"""

from pathlib import Path

import numpy as np

import goban

checksums = []


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def minus_laplacian(a, h):
    """Between walls that hold 0, half a cell outside of the first and the last values."""
    out = np.zeros_like(a)
    for axis in range(a.ndim):
        b = np.moveaxis(a, axis, 0)
        padded = np.concatenate([-b[:1], b, -b[-1:]])
        out += np.moveaxis(2 * b - padded[2:] - padded[:-2], 0, axis) / h**2
    return out


def multigrid():
    grid = goban.Grid((32, 16, 16), 0.5, boundary=goban.wall_value(0))
    u, f = grid.field("u"), grid.field("f")
    values = np.random.default_rng(3).random((32, 16, 16))
    f[...] = values
    solver = goban.Multigrid(u, f, sweeps_before=4, cycle="f")
    program = solver.add_solve(goban.Program("solve"), tolerance=1e-9, limit=40)
    goban.Engine(program).run(1)
    left = np.abs(values + minus_laplacian(u.numpy(), 0.5)).max()
    expect(left < 2e-9 and solver.residual.value < 1e-9, f"multigrid leaves {left}")
    checksums.append(u.checksum())
    solution = u.numpy()
    anew = solver.add_full_multigrid(goban.Program("anew"), cycles=3)
    goban.Engine(anew).run(1)
    off = np.abs(u.numpy() - solution).max() / np.abs(solution).max()
    expect(off < 1e-3, f"full multigrid is off by {off}")
    c = [grid.field("c" + a, location="face_" + a, boundary=goban.mirror).fill(2) for a in "xyz"]
    w = u.like("w").fill(0)
    doubled = goban.Multigrid(w, f, c)
    program = doubled.add_solve(doubled.add_setup(goban.Program("double")), 1e-9, limit=40)
    goban.Engine(program).run(1)
    expect(np.allclose(2 * w.numpy(), solution, atol=1e-8), "conductances of 2 do not halve u")


def krylov():
    grid = goban.Grid((24, 20), 1.0, boundary=goban.wall_value(0))
    u, r, inverse = grid.field("u"), grid.field("r"), grid.field("inverse")
    weight = grid.field("weight").fill(lambda x, y: 1 + 0.01 * x + 0 * y)
    b = np.random.default_rng(5).random((24, 20))

    def shifted(u, weight, k):
        return weight() * u() - k * goban.laplacian(u, axes=2)

    def expected(a, k=0.7):
        return weight.numpy() * a + k * minus_laplacian(a, 1.0)
    r[...] = b
    solver = goban.ConjugateGradients(u, r, inverse.fill(1 / 3.8), shifted, weight, k=0.7)
    goban.Engine(solver.add_solve(goban.Program("cg"), 1e-12, limit=100)).run(1)
    left = np.abs(expected(u.numpy()) - b).max()
    expect(left < 1e-10, f"conjugate gradients leave {left}")
    checksums.append(u.checksum())

    # Two components: as many problems, each with its own right-hand side.
    v, s = grid.field("v", components=2), grid.field("s", components=2)
    s[...] = np.stack([b, 2 * b[::-1]])
    solver = goban.ConjugateGradients(v, s, inverse, shifted, weight, k=0.7)
    goban.Engine(solver.add_solve(goban.Program("two"), 1e-12, limit=100)).run(1)
    expect(np.abs(v.numpy()[0] - u.numpy()).max() < 1e-10, "the first of two is another")
    expect(np.abs(expected(v.numpy()[1]) - 2 * b[::-1]).max() < 1e-10, "the second is wrong")

    def outflow(u, speed):
        return u() - goban.laplacian(u, axes=2) + speed * (u() - u(-1, 0))
    r[...] = b
    solver = goban.BiCgStab(u.fill(0), r, outflow, speed=3.0)
    goban.Engine(solver.add_solve(goban.Program("flow"), 1e-12, limit=200)).run(1)
    a = u.numpy()
    before = np.concatenate([-a[:1], a[:-1]])
    left = np.abs(a + minus_laplacian(a, 1.0) + 3 * (a - before) - b).max()
    expect(left < 1e-9, f"BiCGStab leaves {left}")
    checksums.append(u.checksum())


def preconditioned():
    grid = goban.Grid((32, 32), 1.0, boundary=goban.wall_value(0))
    u, z, r, other = (grid.field(name) for name in ("u", "z", "r", "other"))
    b = np.random.default_rng(9).random((32, 32))

    def laplacian(u):
        return goban.laplacian(u, axes=2)
    r[...] = b
    solver = goban.FlexibleConjugateGradients(u, goban.Multigrid(z, r), laplacian)
    goban.Engine(solver.add_solve(goban.Program("flexible"), 1e-11, limit=15)).run(1)
    left = np.abs(b + minus_laplacian(u.numpy(), 1.0)).max()
    expect(left < 1e-9, f"flexible conjugate gradients leave {left}")
    checksums.append(u.checksum())
    r[...] = b
    w = u.like("w").fill(0)
    solver = goban.BiCgStab(w, r, laplacian, preconditioner=goban.Multigrid(u.like("y"), other))
    goban.Engine(solver.add_solve(goban.Program("stable"), 1e-11, limit=15)).run(1)
    expect(np.abs(b + minus_laplacian(w.numpy(), 1.0)).max() < 1e-9, "BiCGStab with cycles is off")


def points():
    grid = goban.Grid((12, 10, 8), 0.5, (1.0, 0.0, 2.0))
    u = grid.field("u").fill(0)
    loud = goban.Parameter("loud")
    program = goban.Program("points").follow(loud, lambda time: 1 + time)
    places = [(2.1, 1.3, 3.7), (5.9, 4.95, 2.05), (6.99, 0.01, 5.99)]
    goban.inject(program, u, places, [loud, 2.0, loud])
    ears = goban.Receivers(u, places)
    ears.add_record(program)
    box = goban.Samples(grid)
    part = box.add(u, (0, 0, 0), (12, 10, 8))
    program.sample(box)
    goban.Engine(program).run(4)
    expect(ears.times.tolist() == [1, 2, 3, 4] and box.steps.tolist() == [1, 2, 3, 4], "the times")
    sums = box.values(part).reshape(4, -1).sum(axis=1)
    expect(np.allclose(sums, np.cumsum([4, 6, 8, 10])), f"what was injected: {sums}")
    # Linear in between: the trace of a point is that of its cells with the weights of its source.
    x = [(p - o) / 0.5 - 0.5 for p, o in zip(places[0], grid.origin)]
    low = [int(a) for a in x]
    total = 0
    for i in range(8):
        corner = [i & 1, i >> 1 & 1, i >> 2]
        weight = np.prod([a - l if c else 1 - (a - l) for a, l, c in zip(x, low, corner)])
        total += weight * box.values(part)[3][tuple(l + c for l, c in zip(low, corner))]
    expect(np.isclose(ears.traces[3, 0], total), "a trace is not what lies around it")
    expect(np.isclose(ears.traces[3, 2], u[11, 0, 7]), "a point at the corner is not its cell")
    pairs = grid.field("w", "float32", components=2)
    pairs.fill(lambda x, y, z: (x + 0 * y * z, y + 2 * z))
    two = goban.Receivers(pairs, places[:1])
    goban.Engine(two.add_record(goban.Program("look"))).run(1)
    expect(np.allclose(two.traces[0, 0], (2.1, 1.3 + 2 * 3.7), atol=1e-5), "two components")


multigrid()
krylov()
preconditioned()
points()
Path("checksums").write_text(repr(checksums))
print("solved")
