"""Every kind of stage that a script can write, beside NumPy and beside other stages. Leaves
checksums that must be the same whatever computes, in a file for each rank.
"""

import math
from pathlib import Path

import numpy as np

import goban

random = np.random.default_rng(7)


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def run(program, steps=1, **options):
    return goban.Engine(program, **options).run(steps)


def shifted(a, x, y, z):
    """Periodic neighbours."""
    return np.roll(a, (-x, -y, -z), (0, 1, 2))


def arithmetic():
    grid = goban.Grid((19, 14, 11), 0.5, (1, 2, 3))
    u, n = grid.field("u"), grid.field("n", "int32")
    v, f = grid.field("v", components=5), grid.field("f", "float32")
    bits = grid.field("bits", "uint8")
    u[...] = random.random(u.shape) - 0.5
    n[...] = random.integers(-20, 20, n.shape)
    bits[...] = random.integers(0, 256, n.shape)

    def compute(u, n, bits, v, f, site, r, k, weights, doubled):
        near = sum(w * u(x, 0, 0) for x, w in weights)
        v[0] = goban.select((near > 0) & ~(u() > r), near, -u())
        chosen = goban.select(bits() > 99, 300, k) + (bits() >> 3 & 5) + goban.select(r > 1, 1, 2)
        v[4] = goban.convert(chosen, "float64") + goban.select(u() > 0, 0.1, r)
        v[1] = np.sqrt(abs(u())) + goban.min(u(), 0.25) ** 3 / (1 + u() * u())
        v[2] = goban.convert(n() // k * 100 + n() % k, "float64") + goban.exp(r)
        place = site.position("x") * 10 + goban.convert(site.index("y"), "float64")
        if doubled:
            place += place
        v[3] = place
        f[...] = u() * r - u(0, 1, 0) / 3 + u(0, 0, -1) * np.float32(0.5)

    program = goban.Program("arithmetic")
    program.apply(compute, u, n, bits, v, f, goban.site, r=0.2, k=7, doubled=True,
                  weights=((-1, 0.25), (0, 0.5), (2, 0.125)))
    run(program)
    a, m, w = u.numpy(), n.numpy(), v.numpy()
    near = 0.25 * shifted(a, -1, 0, 0) + 0.5 * a + 0.125 * shifted(a, 2, 0, 0)
    expect(np.array_equal(w[0], np.where((near > 0) & ~(a > 0.2), near, -a)), "select")
    low = np.minimum(a, 0.25)
    expect(np.array_equal(w[1], np.sqrt(abs(a)) + low * (low * low) / (1 + a * a)), "powers")
    expect(np.allclose(w[2], m // 7 * 100 + m % 7 + math.exp(0.2), 0, 1e-12), "// and %")
    b = bits.numpy().astype(int)
    chosen = np.where(b > 99, 300, 7) + (b >> 3 & 5) + 2
    expect(np.array_equal(w[4], chosen + np.where(a > 0, 0.1, 0.2)), "select of numbers")
    x, y = u.positions("x")[:, None, None], np.arange(14)[None, :, None]
    expect(np.array_equal(w[3], np.broadcast_to(2 * (x * 10 + y), a.shape)), "site")
    wide = (a * 0.2 - shifted(a, 0, 1, 0) / 3) + shifted(a, 0, 0, -1) * 0.5
    expect(np.array_equal(f.numpy(), wide.astype(np.float32)), "float64 into float32")
    return v.checksum(), f.checksum()


def fields():
    plane = goban.Grid((9, 6), boundary=(goban.mirror, goban.periodic))
    a, faces = plane.field("a", "float32", components=2), plane.field("faces", location="face_x")
    expect(a.shape == (2, 9, 6) and faces.shape == (10, 6), "shapes")
    values = random.random(a.shape).astype(np.float32)
    a[...] = values
    expect(np.array_equal(a.numpy(), values) and np.array_equal(np.asarray(a), values), "whole")
    expect(np.array_equal(a[1, 2:5, -1], values[1, 2:5, -1]), "part")
    a[0, 3] = 5
    values[0, 3] = 5
    a[1] = values[0]
    values[1] = values[0]
    expect(np.array_equal(a[...], values), "parts that are set")
    a.fill(lambda x, y: (x + 0 * y, np.exp(-y)))
    expect(a[0, 4, 2] == 4.5 and a[1, 4, 2] == np.float32(np.exp(-2.5)), "functions of positions")
    faces.fill(lambda x, y: x)
    expect(np.array_equal(faces[:, 0], np.arange(10)), "positions of faces")
    own = np.zeros(a.shape, np.float32)
    for lower, upper, part in a.own():
        own[:, lower[0]:upper[0], lower[1]:upper[1]] = part
    if plane.runtime.ranks == 1:
        expect(np.array_equal(own, a.numpy()), "own parts")
    for kind in ("float16", "uint8", "float64"):
        b = plane.field(kind, kind)
        b[...] = np.arange(54).reshape(9, 6)
        expect(b.numpy().dtype == kind and b.sum() == 53 * 27 and b.maximum() == 53, kind)
    return (a.checksum(),)


def masks_and_boxes():
    grid = goban.Grid((16, 10, 6))
    u, mask = grid.field("u"), grid.field("mask", "uint8")
    u.fill(1)
    mask[...] = np.arange(16)[:, None, None] % 2

    def double(u):
        u[...] *= 2
    program = goban.Program("double")
    program.apply(double, goban.inout(u)).over((0, 0, 0), (8, 10, 3))
    program.apply(double, u).where(mask)
    run(program)
    expected = np.ones(u.shape)
    expected[:8, :, :3] *= 2
    expected[1::2] *= 2
    expect(np.array_equal(u.numpy(), expected), "boxes and masks")
    return (u.checksum(),)


def numbers():
    """Reductions, arithmetic on parameters, loops, what follows the clock."""
    grid = goban.Grid((20, 12, 8))
    u, dt = grid.field("u"), goban.Parameter("dt")
    most, total = goban.Parameter("most"), goban.Parameter("total", type="float32")
    forced, rounds = goban.Parameter("forced"), goban.Parameter("rounds", type="int32")
    quarter, many = goban.Parameter("quarter"), goban.Parameter("many")
    u[...] = random.random(u.shape)
    before = u.numpy()
    halve = goban.Program("halve")
    halve.apply(lambda u, f: u.__setitem__(..., u() * f), u, f=0.5)
    halve.compute(lambda n: n + 1, rounds, into=rounds)
    check = goban.Program("check")
    check.reduce(lambda u: u(), u, how="maximum", into=most)
    program = goban.Program("numbers")
    program.repeat(2, halve)
    program.until(most < 0.01, 1, 50, halve, check)
    program.reduce(lambda u, power: u() ** 2 * power, u, how="sum", into=total, power=4)
    program.compute(lambda most, n, c: (c / most, goban.select(most > c, 0, most),
                                        n / 4 + n // 3 + n % 3, n + 1),
                    most, rounds, into=[dt, most, quarter, rounds], c=0.5)
    program.reduce(lambda u: u() > 0.005, u, how="sum", into=many)
    program.follow(forced, lambda time: time + 100)
    seen = []
    program.call(lambda: seen.append(u.sum()), reads=[u])
    run(program, dt=0.25)
    times = 2
    while before.max() / 2**times >= 0.01:
        times += 1
    expect(rounds.value == times + 1, f"{rounds.value} rounds instead of {times} and one more")
    expect(quarter.value == times / 4 + times // 3 + times % 3, "whole numbers in compute")
    expect(np.array_equal(u.numpy(), before / 2**times), "until")
    expect(math.isclose(total.value, 4 * (u.numpy()**2).sum(), rel_tol=1e-6), "sum")
    expect(many.value == (u.numpy() > 0.005).sum() > 0, "conditions are counted")
    expect(dt.value == 0.5 / u.maximum() and most.value == u.maximum(), "compute")
    expect(forced.value == 100 and seen == [u.sum()], "follow and call")
    return (u.checksum(),)


def columns():
    """A tridiagonal system in every column."""
    grid = goban.Grid((24, 10, 16), boundary=(goban.periodic, goban.periodic, goban.mirror))
    a, b, c, d, x = (grid.field(name) for name in "abcdx")
    for one in (a, c):
        one[...] = random.random(a.shape) * 0.4
    b[...] = 1 + random.random(a.shape)
    d[...] = random.random(a.shape)

    def forward(a, b, c, d, x, s):
        m = 1 / (b() - a() * s[0].before())
        s[0] = c() * m
        s[1] = (d() - a() * s[1].before()) * m

    def backward(a, b, c, d, x, s):
        s[1] = s[1]() - s[0]() * s[1].before()
        x[...] = s[1]()

    program = goban.Program("thomas")
    program.columns("z", forward, backward, a, b, c, d, x, goban.scratch("float64", 2))
    run(program)
    left, solved = b.numpy() * x.numpy(), x.numpy()
    left[:, :, 1:] += a.numpy()[:, :, 1:] * solved[:, :, :-1]
    left[:, :, :-1] += c.numpy()[:, :, :-1] * solved[:, :, 1:]
    expect(abs(left - d.numpy()).max() < 1e-14, "columns")
    return (x.checksum(),)


def fused():
    """What lies between two functors has no memory."""
    grid = goban.Grid((20, 18, 12))
    u = grid.field("u", "float32")
    next, flux = u.like("next"), goban.Intermediate(grid, "flux", "float32", 3)
    u[...] = random.random(u.shape)

    def gradient(u, q):
        q[...] = (u() - u(-1, 0, 0), u() - u(0, -1, 0), u() - u(0, 0, -1))

    def diverge(u, q, next, r):
        next[...] = u() + r * (q[0](1, 0, 0) - q[0]() + q[1](0, 1, 0) - q[1]()
                               + q[2](0, 0, 1) - q[2]())

    program = goban.Program("fused")
    program.fuse(goban.stage(gradient, u, flux), goban.stage(diverge, u, flux, next, r=0.1))
    run(program)
    a = u.numpy()
    x, y, z = a - shifted(a, -1, 0, 0), a - shifted(a, 0, -1, 0), a - shifted(a, 0, 0, -1)
    total = (shifted(x, 1, 0, 0) - x + shifted(y, 0, 1, 0) - y + shifted(z, 0, 0, 1) - z)
    expect(np.array_equal(next.numpy(), a + np.float32(0.1) * total), "fuse")
    return (next.checksum(),)


def boundaries():
    """All kinds, one of the script's own, and numbers that follow the time."""
    cool = goban.custom(lambda ghost, a: a * ghost.inside(1) + ghost.depth(), a=0.5)
    heat = goban.constant(lambda time: 3 + time)
    held = goban.Parameter("held", 7)
    grid = goban.Grid((6, 5, 4), boundary=((heat, cool), (goban.wall_value(held), goban.mirror),
                                           (goban.gradient(2.0), goban.periodic)[:1] * 2))
    u, out = grid.field("u"), grid.field("out", components=6)
    u[...] = random.random(u.shape)

    def look(u, out):
        for c, sign in enumerate((-1, 1)):
            out[c] = u(sign, 0, 0)
            out[2 + c] = u(0, sign, 0)
            out[4 + c] = u(0, 0, sign)
    program = goban.Program("boundaries")
    program.apply(look, u, out)
    run(program, 3, dt=0.5)
    a, w = u.numpy(), out.numpy()
    expect((w[0, 0] == 4).all(), "constant of the time")
    expect(np.array_equal(w[1, -1], 0.5 * a[-1] + 1), "custom")
    expect(np.array_equal(w[2, :, 0], 14 - a[:, 0]), "wall_value of a parameter")
    expect(np.array_equal(w[3, :, -1], a[:, -1]), "mirror")
    expect(np.array_equal(w[4, :, :, 0], a[:, :, 0] + 2), "gradient")
    return (out.checksum(),)


def in_place():
    """A field that streams in its own memory."""
    grid = goban.Grid((16, 10, 6))
    f = grid.field("f", "float32", 3, in_place=True)
    f_next = f.like("f_next")
    values = random.random(f.shape).astype(np.float32)
    f[...] = values

    def stream(f, next):
        mean = (f[0]() + f[1](-1, 0, 0) + f[2](1, 0, 0)) / 3
        next[...] = (mean, 0.5 * (mean + f[1](-1, 0, 0)), 0.5 * (mean + f[2](1, 0, 0)))
    program = goban.Program("in place")
    program.apply(stream, f, f_next).named("in place")
    program.swap(f, f_next)
    run(program, 3)
    half, third = np.float32(0.5), np.float32(3)
    for _ in range(3):
        rest, right, left = values[0], shifted(values[1], -1, 0, 0), shifted(values[2], 1, 0, 0)
        mean = (rest + right + left) / third
        values = np.stack([mean, half * (mean + right), half * (mean + left)])
    expect(np.array_equal(f.numpy(), values), "in place")
    return (f.checksum(),)


def several_grids():
    fine = goban.Grid((16, 12, 8))
    coarse = fine.coarsened()
    u, mean, back = fine.field("u"), coarse.field("mean"), fine.field("back")
    u[...] = random.random(u.shape)
    program = goban.Program("several grids")
    program.apply(lambda u, mean: mean.__setitem__(..., goban.mean_of_parts(u)), u, mean)
    program.apply(lambda site, mean, back: back.__setitem__(..., goban.interpolated(site, mean)),
                  goban.site, mean, back)
    run(program)
    parts = u.numpy().reshape(8, 2, 6, 2, 4, 2).mean((1, 3, 5))
    expect(mean.shape == (8, 6, 4) and np.allclose(mean.numpy(), parts, 0, 1e-15), "mean_of_parts")
    expect(abs(back.sum() - u.sum()) < 1e-10, "interpolated: another sum")
    expect(np.ptp(back.numpy()) < np.ptp(parts), "interpolated: beyond the coarser values")
    return mean.checksum(), back.checksum()


def tables():
    """Look-ups beside NumPy's, to the last bit, and values of cells that other cells name."""
    grid = goban.Grid((17, 9, 3))
    x, y, z = grid.field("x"), grid.field("y"), grid.field("z")
    n, away = grid.field("n", "int32"), grid.field("away")
    x[...] = 3 * random.random(x.shape) - 1
    x[0, :4, 0] = (-1, 0, 1.5, np.nan)
    n[...] = random.integers(-4, 5, n.shape)
    places, values = np.array([-0.5, 0, 0.3, 1, 1.5]), np.array([2, -1, 0.1, 0.2, 7])

    def look_up(x, n, y, z, away):
        y[...] = goban.interp(x(), places, values)
        z[...] = np.interp(x(), places[:2], values[:2])
        away[...] = goban.gather(x, "y", n(), reach=2)

    program = goban.Program("tables")
    program.apply(look_up, x, n, y, z, away)
    run(program)
    a = x.numpy()
    expect(np.array_equal(y.numpy(), np.interp(a, places, values), equal_nan=True), "interp")
    expect(np.array_equal(z.numpy(), np.interp(a, places[:2], values[:2]), equal_nan=True), "two")
    i, j, k = np.indices(a.shape)
    named = a[i, (j + np.clip(n.numpy(), -2, 2)) % a.shape[1], k]
    expect(np.array_equal(away.numpy(), named, equal_nan=True), "gather")
    expect(goban.interp(0.15, places, values) == np.interp(0.15, places, values), "of a number")
    return y.checksum(), z.checksum(), away.checksum()


tests = (arithmetic, fields, masks_and_boxes, numbers, columns, fused, boundaries, in_place,
         several_grids, tables)
lines = [f"{test.__name__} {test()}\n" for test in tests]
Path(f"checksums.{goban.runtime().rank}").write_text("".join(lines))
