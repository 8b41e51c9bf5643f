"""Slips in functors and calls: each is refused in one line that names this file and the line."""

import sys

import numpy as np

import goban

grid = goban.Grid((16, 12, 8))
u, next = grid.field("u", "float32"), grid.field("next", "float32")
v, n = grid.field("v", "float32", components=3), grid.field("n", "int32")
small = grid.field("small", "uint8")
p, whole = goban.Parameter("p"), goban.Parameter("whole", type="int32")
leaked = []
program = goban.Program("slips")
other = goban.Grid((4, 4, 4)).field("other", "float32")


def conditional(u, next):
    if u() > 0:
        next[...] = 1


def looping(u, next, count):
    for _ in range(count):
        next[...] = u()


def updating(u, next):
    next += u()


def twice(v, n):
    v[1] = 1
    v[1] = 2


def assign(value):
    """A functor of two fields that assigns what the function makes of the first one."""
    return lambda a, b: b.__setitem__(..., value(a))


def leak(a, b):
    leaked.append(a())
    b[...] = a()


program.apply(leak, u, next)
SLIPS = [  # what is refused, and a part of the line that says so
    (lambda: program.apply(conditional, u, next), "as a condition of if"),
    (lambda: program.apply(looping, u, next, count=3), "the bound of a loop"),
    (lambda: program.apply(updating, u, next), "w[...] += x"),
    (lambda: program.apply(twice, v, n), "component 1 of 'v' is assigned more than once"),
    (lambda: program.apply(assign(lambda a: a() + missing), u, next),  # noqa: F821
     "name 'missing' is not defined"),
    (lambda: program.apply(lambda u, w: w.__setitem__(..., w(1, 0, 0) + u()), u, next),
     "'next' is assigned and read at a neighbour"),
    (lambda: program.apply(assign(lambda a: a + 1), u, next), "write u() to read"),
    (lambda: program.apply(assign(lambda a: a() + 300), small, n), "300 beside whole values of 8"),
    (lambda: program.apply(assign(lambda a: goban.select(a() < 2**32, 1, 0)), n, next),
     "4294967296 beside whole values of 32"),
    (lambda: program.apply(assign(lambda a: 256), u, small), "256 beside whole values of 8"),
    (lambda: program.apply(assign(lambda a: np.ones(3) * a()), u, next), "ndarray inside an"),
    (lambda: goban.Simulation(grid, program, end=np.nan, dt=0.1), "end = nan is refused"),
    (lambda: goban.Simulation(grid, program, end=1.0, dt=np.inf), "dt = inf is refused"),
    (lambda: goban.Simulation(grid, program, steps=1).series("s", [p], at=[0.5, np.nan]),
     "at_times = nan is refused"),
    (lambda: program.apply(assign(lambda a: a()), u), "missing a required argument: 'b'"),
    (lambda: program.apply(assign(lambda a: a()), u, next, r=1), "unexpected keyword argument 'r'"),
    (lambda: program.apply(assign(lambda a: a()), u, 0.5), "float is passed as a field"),
    (lambda: program.apply(assign(lambda a: a()), u, p), "p=p"),
    (lambda: program.apply(assign(lambda a: a()), v, next), "'v' has 3 components"),
    (lambda: program.apply(assign(lambda a: a[3]()), v, next), "'v' has no component 3"),
    (lambda: program.apply(assign(lambda a: a(0.5, 0)), u, next), "no whole number"),
    (lambda: program.apply(assign(lambda a: a() * 0.5), n, next), "would lose its fraction"),
    (lambda: program.apply(assign(lambda a: a() / 2), n, next), "write a // b"),
    (lambda: program.apply(assign(lambda a: a()), u, n), "'n' is of whole numbers"),
    (lambda: program.apply(assign(lambda a: a() > 0), u, next), "select(condition, 1, 0)"),
    (lambda: program.apply(assign(lambda a: a() & 1), u, next), "brackets around comparisons"),
    (lambda: program.apply(assign(lambda a: a() >> 1), u, next), ">> of what is no whole number"),
    (lambda: program.apply(assign(lambda a: float(a())), u, next), "as a plain number"),
    (lambda: program.apply(assign(lambda a: np.sum(a())), u, next), "numpy.sum inside a functor"),
    (lambda: program.apply(assign(lambda a: np.arcsinh(a())), u, next), "numpy.arcsinh"),
    (lambda: program.apply(assign(lambda a: goban.interp(a(), (0, 0), (1, 2))), u, next),
     "do not ascend"),
    (lambda: program.apply(assign(lambda a: goban.interp(a(), (0, 1), (1,))), u, next),
     "2 places and 1 values"),
    (lambda: program.apply(assign(lambda a: goban.gather(a, "x", a(), reach=0)), u, next),
     "reach=0 is refused"),
    (lambda: goban.Multigrid(grid.field("a"), grid.field("b"), smoother="none"),
     "smoother 'none' is refused; one of 'chebyshev', 'jacobi', 'red_black'"),
    (lambda: program.apply(assign(lambda a: "text"), u, next), "str inside an expression"),
    (lambda: program.apply(assign(lambda a: a()), goban.out(u), next), "'u' is read"),
    (lambda: program.apply(assign(lambda a: a()), u, goban.in_(next)), "'next' is assigned"),
    (lambda: program.apply(lambda a, b: a() + b(), u, next), "assign it: next[...] = x"),
    (lambda: program.reduce(lambda a: None, u, how="sum", into=p), "returns no value of cells"),
    (lambda: program.compute(lambda a: (a, a), p, into=p), "returns 2 numbers"),
    (lambda: program.compute(lambda a: a + 0.5, p, into=whole), "holds whole numbers"),
    (lambda: program.apply(assign(lambda a: a() + leaked[0]), u, next), "of another functor"),
    (lambda: program.apply(assign(lambda a: leaked[0]), u, next), "of another functor"),
    (lambda: program.apply(assign(lambda a: (a > 0) < (a < 1)), u, next), "write u() to read"),
    (lambda: program.apply(assign(lambda a: a() + ((a() > 0) < (a() < 1))), u, next),
     "< of conditions"),
    (lambda: program.apply(lambda s, a: a.__setitem__(..., s()), goban.scratch(), next),
     "it belongs to columns"),
    (lambda: program.swap(u, v), "they are of different types"),
    (lambda: goban.custom(lambda ghost: ghost.inside(17)), "inside(17)"),
    (lambda: grid.field("u"), "field 'u' is declared twice"),
    (lambda: grid.field("w", "complex"), "field of type 'complex'"),
    (lambda: u[20, 0, 0], "field 'u' has no index 20 along x"),
    (lambda: u.__setitem__(..., np.zeros((2, 3))), "field 'u' cannot be set"),
    (lambda: goban.Grid((4, 4), -1.0), "spacing along x is not positive"),
    (lambda: goban.Simulation(grid, program).output([u]), "never happens"),
    (lambda: goban.Engine(goban.Program("x").call(lambda: 1, writes=[u])).run(1), None),
]

for attempt, part in SLIPS:
    try:
        attempt()
        said = None
    except goban.Error as error:
        said = str(error)
        if error.code != 2:
            sys.exit(f"code {error.code}: {said}")
    if part is None:
        if said:
            sys.exit(f"refused: {said}")
        continue
    if said is None or part not in said or "\n" in said:
        sys.exit(f"not refused as it should be, with {part!r}: {said}")
    is_of_functor = attempt.__code__.co_names[:1] == ("program",)
    if is_of_functor and "slips.py:" not in said:
        sys.exit(f"no place in {said}")

# What C++ refuses when the program is put together has the place of the stage.
flux = goban.Intermediate(grid, "flux", "float32")
copy_one, copy_other = assign(lambda a: a()), assign(lambda a: a(1, 0, 0))
LATE = [
    (lambda late: late.fuse(goban.stage(copy_one, u, next), goban.stage(copy_other, u, next)),
     "a field is written by two stages of a fuse; give each its own"),
    (lambda late: late.fuse(goban.stage(copy_one, flux, next), goban.stage(copy_other, u, flux)),
     "reads a field that it or a later stage writes"),
    (lambda late: late.fuse(goban.stage(copy_one, u, flux), goban.stage(copy_one, flux, flux)),
     "a field is written by two stages"),
    (lambda late: late.fuse(goban.stage(copy_one, u, next),
                            goban.stage(lambda w: w.__setitem__(..., 2 * w()), next)),
     "a field is written by two stages"),
    (lambda late: late.apply(assign(lambda a: sum(a(x, y, 0) for x in range(30)
                                                  for y in range(30))), u, next),
     "reads too many different values"),
    (lambda late: late.apply(assign(lambda a: a(1001, 0, 0)), u, next), "reads too far away"),
    (lambda late: late.apply(assign(lambda a: a()), u, turned), "share a layout"),
]
turned = grid.field("turned", "float32", layout="kij")
for attempt, part in LATE:
    late = goban.Program("late")
    attempt(late)
    try:
        goban.Engine(late)
        sys.exit(f"not refused with {part!r}")
    except goban.Error as error:
        if error.code != 2 or part not in str(error) or "slips.py:" not in str(error):
            sys.exit(f"not refused as it should be, with {part!r}: {error}")
mixed = goban.Program("mixed")
mixed.apply(assign(lambda a: a()), u, other)
try:
    goban.Engine(mixed)
    sys.exit("grids that have nothing in common are mixed")
except goban.Error as error:
    print(error)

# Exceptions of functions that C++ calls come back as they were.
copy = goban.Program("copy")
copy.apply(leak, u, next)
u.fill(1)
simulation = goban.Simulation(grid, copy, steps=5, measure_bandwidth=False)
simulation.on(lambda step, time, wall: [][step], every=2)
try:
    simulation.run()
    sys.exit("a function that fails is ignored")
except IndexError:
    pass
within = goban.Simulation(grid, copy, steps=5, measure_bandwidth=False)
within.adjust(lambda step, time, wall: u.fill(lambda x, y, z: x + [][step]))
try:
    within.run()
    sys.exit("a function that fails within another is ignored")
except IndexError:
    pass
try:
    u.fill(lambda x, y, z: x + nowhere)  # noqa: F821
    sys.exit("a function that fails is ignored")
except NameError:
    pass

conditional_program = goban.Program("end")
conditional_program.apply(conditional, u, next)
