"""Wrong arguments are refused where they are passed; right ones mean what they say."""

import gc
import inspect
import itertools
import json
import resource
import sys
from pathlib import Path

import numpy as np

import goban
from goban.errors import WrongArgument

grid = goban.Grid((16, 12))
u, next = grid.field("u"), grid.field("next")
v, mask = grid.field("v", np.float32, components=3), grid.field("mask", np.uint8)
whole = grid.field("whole", np.dtype("int32"))
p, count = goban.Parameter("p"), goban.Parameter("count", type="int32")
program, body = goban.Program("program"), goban.Program("body")
stage = body.apply(lambda u, next: next.__setitem__(..., u()), u, next)
body.swap(u, next)


def expect(condition, what):
    if not condition:
        sys.exit(what)


def simulation(**options):
    return goban.Simulation(grid, body, steps=1, directory="never", **options)


WRONG = [  # what is refused, and a part of the line that says so
    (lambda: stage.where(1), "mask = 1 is refused (Stage.where takes a Field there)"),
    (lambda: stage.where(p), "takes a Field"),
    (lambda: stage.over(0, 1), "lower = 0 is refused"),
    (lambda: stage.over((0, 0.5), (1, 1)), "each is a whole number"),
    (lambda: stage.named(1), "takes a text"),
    (lambda: goban.Grid((4, 4), spacing=np.inf), "grid spacing along x is not positive and finite"),
    (lambda: goban.Grid((4, 4), origin=(0, np.nan)), "grid origin along y is not a finite number"),
    (lambda: goban.constant(np.nan), "boundary condition constant(nan) is refused"),
    (lambda: goban.wall_value(np.nan), "boundary condition wall_value(nan) is refused"),
    (lambda: goban.gradient(np.nan), "boundary condition gradient(nan) is refused"),
    (lambda: program.call(len, reads=[1]), "reads = [1] is refused"),
    (lambda: program.call(len, reads=itertools.count()), "reads = count(0) is refused"),
    (lambda: program.call(len, writes=u), "takes a list of which each is a Field"),
    (lambda: program.follow(1, abs), "parameter = 1 is refused (Program.follow takes a Parameter"),
    (lambda: program.follow(u, abs), "takes a Parameter"),
    (lambda: program.follow(p, 1), "takes a function"),
    (lambda: program.repeat(2.0, body), "times = 2.0 is refused"),
    (lambda: program.repeat(2, u), "takes a Program"),
    (lambda: program.repeat(2**64 + 8, body), "more than 64 bits"),
    (lambda: program.until(p < 1, 10.0, 100, body, body), "check_every = 10.0 is refused"),
    (lambda: program.until(p, 10, 100, body, body), "takes a Condition"),
    (lambda: program.until(p < "a", 10, 100, body, body), "takes a number"),
    (lambda: program.swap(u, p), "takes a Field"),
    (lambda: program.rotate(u), "nothing changes places"),
    (lambda: program.reduce(lambda u: u(), u, how="sum", into=u), "into = Field('u'"),
    (lambda: program.compute(lambda p: p, 1, into=p), "parameters = 1 is refused"),
    (lambda: program.fuse(u, u), "takes a Functor"),
    (lambda: program.apply(1, u), "takes a function"),
    (lambda: goban.Engine(u), "takes a Program"),
    (lambda: goban.Engine(body, dt=u), "dt = Field('u'"),
    (lambda: goban.Engine(body).run(10.0), "steps = 10.0 is refused"),
    (lambda: goban.Engine(body).run(-1), "-1 steps are refused"),
    (lambda: goban.Program(1), "takes a text"),
    (lambda: goban.Grid(2**64 + 8), "more than 64 bits"),
    (lambda: goban.Grid((8.0, 8)), "cells = (8.0, 8) is refused"),
    (lambda: goban.Grid(8, boundary=1), "boundary = 1 is refused"),
    (lambda: goban.Grid(8, runtime=1), "takes a Runtime"),
    (lambda: goban.Grid(8, cell=1), "unexpected keyword argument 'cell'"),
    (lambda: grid.field(1), "takes a text"),
    (lambda: grid.field("w", None), "takes a type"),
    (lambda: grid.field("w", np.int64), "field of type 'int64' is refused"),
    (lambda: grid.field("w", components=2.0), "components = 2.0 is refused"),
    (lambda: u.like(1), "takes a text"),
    (lambda: u.boundary("x", "low", 1), "takes a BoundaryCondition"),
    (lambda: u.boundary("z", "low", goban.mirror), "axis 'z' is refused"),
    (lambda: u.sum(0.5), "component = 0.5 is refused"),
    (lambda: u.positions(0), "takes a text"),
    (lambda: goban.constant(u), "takes a number or a Parameter or a function"),
    (lambda: goban.custom(1), "takes a function"),
    (lambda: goban.Parameter("q", "1"), "takes a number"),
    (lambda: goban.Parameter("q", 2.5, "int32"), "int32 does not hold 2.5"),
    (lambda: setattr(count, "value", 0.5), "int32 does not hold 0.5"),
    (lambda: simulation(dt_limit=0.1), "dt_limit = 0.1 is refused"),
    (lambda: simulation(dt="a"), "dt = 'a' is refused"),
    (lambda: goban.Simulation(grid, body, steps=1.5), "steps = 1.5 is refused"),
    (lambda: goban.Simulation(u, body, steps=1), "takes a Grid"),
    (lambda: goban.Simulation(grid, body, stesp=1), "unexpected keyword argument 'stesp'"),
    (lambda: simulation().keep(1), "takes a Parameter"),
    (lambda: simulation().adjust(len, every=10.0), "every = 10.0 is refused"),
    (lambda: simulation().on(len, every=2.7), "every = 2.7 is refused"),
    (lambda: simulation().on(len, every=True), "every = True is refused"),
    (lambda: simulation().on(len, at="end"), "at = 'end' is refused"),
    (lambda: simulation().on(len, evry=1), "unexpected keyword argument 'evry'"),
    (lambda: simulation().stop_when(1, 1), "takes a Condition"),
    (lambda: simulation().derive(u), "takes a Program"),
    (lambda: simulation().results(1), "takes a function"),
    (lambda: simulation().output([p], every=1), "fields = [Parameter('p', 0.0)] is refused"),
    (lambda: simulation().picture([u], every=1), "field = [Field('u'"),
    (lambda: simulation().series("s", [u], every=1), "columns = [Field('u'"),
    (lambda: simulation().probe([u], [(1, 2, 3)], every=1), "the grid has 2 axes"),
    (lambda: goban.sum_of(p), "takes a Field"),
    (lambda: goban.value_at(u, None), "position = None is refused"),
    (lambda: goban.scratch("float64", 1.5), "count = 1.5 is refused"),
    (lambda: goban.in_(p), "takes a Field or an Intermediate"),
    (lambda: goban.run(1), "case = 1 is refused"),
    (lambda: goban.command("apps", 1), "words = 1 is refused"),
    # Values that a field does not hold.
    (lambda: mask.fill(300), "uint8 does not hold 300"),
    (lambda: mask.fill(-1), "uint8 does not hold -1"),
    (lambda: whole.fill(0.5), "int32 does not hold 0.5"),
    (lambda: whole.fill(lambda x, y: x), "int32 does not hold"),
    (lambda: whole.fill(np.nan), "int32 does not hold nan"),
    (lambda: v.fill(1e300), "float32 does not hold 1e+300"),
    (lambda: u.fill(None), "None is no number"),
    (lambda: u.fill(lambda x, y: None), "None is no number"),
    (lambda: u.fill("one"), "'one' is no number"),
    (lambda: u.fill(1j), "1j is no number"),
    (lambda: v.fill(lambda x, y: None), "returns nothing"),
    (lambda: v.fill(lambda x, y: (x, y)), "returns 2"),
    (lambda: v.fill(lambda x, y: (x, y, None)), "None is no number"),
    (lambda: mask.__setitem__((3, 4), 256), "uint8 does not hold 256"),
    (lambda: list(u), "not iterable"),
    # Functors.
    (lambda: program.apply(lambda u, n: None, u, next), "assigns nothing"),
    (lambda: program.apply(lambda u, n: None, u, goban.inout(next)), "assigns nothing to 'next'"),
    (lambda: program.apply(lambda u, n: n.__setitem__(..., u(0, 0, 1)), u, next),
     "'u' is read at (0, 0, 1) (its grid has 2 axes)"),
]


def check_wrong_ones():
    for attempt, part in WRONG:
        line = inspect.getsourcelines(attempt)[1]
        lines = (line, line + 1, inspect.getsourcelines(simulation)[1] + 1)
        try:
            attempt()
            said = "nothing"
        except (goban.Error, TypeError) as error:
            said = str(error)
            is_refused = part in said and "\n" not in said
            has_place = any(f"arguments.py:{one}: " in said for one in lines)
            if is_refused and (has_place or not isinstance(error, WrongArgument)):
                continue
        sys.exit(f"line {line}: not refused as it should be, with {part!r}: {said}")
    expect(issubclass(WrongArgument, TypeError), "a wrong argument is no TypeError")
    expect(not Path("never").exists(), "what is refused leaves files")


def check_that_all_are_checked():
    """But for functors' own functions, whose arguments are values that record."""
    plain = {name for name, one in vars(goban).items()
             if getattr(one, "__module__", "") == "goban.functions"}
    plain |= {"BoundaryCondition", "Column", "Condition", "Report", "Error", "runtime",
              "View"}
    without = {"Field.fill", "Grid.field"}  # it takes anything; it is that of Field
    for name, one in vars(goban).items():
        if name.startswith("_") or name in plain or inspect.ismodule(one) or not callable(one):
            continue
        calls = {name: one} if not inspect.isclass(one) else {
            f"{name}.{inner}": method for inner, method in vars(one).items()
            if inspect.isfunction(method) and (inner == "__init__" or not inner.startswith("_"))}
        for what, call in calls.items():
            names = [one for one in inspect.signature(call).parameters if one != "self"]
            expect(not names or what in without or hasattr(call, "__wrapped__"),
                   f"{what} does not look at its arguments")


def check_values():
    mask.fill(lambda x, y: x > 3)
    expect(mask.sum() == 13 * 12 and mask.fill(True).sum() == 16 * 12, "truths")
    v.fill(0)
    v[0, 3, 4] = 5
    expect(v.sum(0) == 5 and v.sum(1) == 0 and v.sum(2) == 0, "one value of one component")
    v[-1, 3, 4:6] = np.float64(7)
    expect(v.sum(0) == 5 and v.sum(2) == 14, "values of the last component")
    v[:, 3, 4] = (1, 2, 3)
    expect(list(v[:, 3, 4]) == [1, 2, 3], "all components of one cell")
    u.fill(np.int64(2))
    u[3, 4] = np.float32(5)
    expect(u.sum() == 2 * 191 + 5, "one value")
    u[3, 4] = np.nan
    for extremum in (u.minimum(), u.maximum(), u.sum()):
        expect(np.isnan(extremum), "an extremum without a NaN")


def check_schedules():
    """NumPy's numbers are numbers."""
    u.fill(0)
    seen = {}
    run = goban.Simulation(grid, body, steps=np.int64(30), dt=np.float32(0.5), directory="when",
                           measure_bandwidth=np.bool_(False))
    for name, at in (("steps", np.arange(10, 30, 10)), ("one", np.int32(20)),
                     ("times", np.array([2.5, 5.0])), ("either", [1, 2.5])):
        seen[name] = []
        run.on(lambda step, time, wall, name=name: seen[name].append(step), at=at)
    run.run()
    expect(seen == {"steps": [10, 20], "one": [20], "times": [5, 10], "either": [2, 5]}, seen)


def check_loops():
    """A NaN is below nothing: the iteration ends as what it is."""
    loop, look = goban.Program("loop"), goban.Program("look")
    u.fill(1)
    u[3, 4] = np.nan
    look.reduce(lambda u: u(), u, how="maximum", into=p)
    loop.until(p < 10, 5, 100, body, look)
    try:
        goban.Engine(loop).run(1)
        sys.exit("an iteration with a NaN has converged")
    except goban.Error as error:
        expect(error.code == 5 and "'body' has diverged (after 0 steps p is NaN)" in str(error),
               error)


def check_numbers_of_functions():
    """NaN is a number like any other; what results() returns costs no summary."""
    u.fill(1)
    run = goban.Simulation(grid, body, steps=4, directory="numbers", measure_bandwidth=False)
    run.series("nan", [("nan", "", lambda: np.nan)], every=2).checkpoint(at_end=True)
    run.results(lambda: {"nan": np.nan, "list": [np.float32(1), p], "array": np.arange(2),
                         "inner": {1: np.inf}})
    run.run()
    results = json.loads(Path("numbers/summary.json").read_text(encoding="utf-8"))["results"]
    expect(results == {"nan": None, "list": [1, p.value if p.value == p.value else None],
                       "array": [0, 1], "inner": {"1": None}}, results)
    for wrong in ([1, 2], None, {"what": u}):
        Path("numbers/summary.json").unlink()
        run = goban.Simulation(grid, body, steps=4, directory="numbers", measure_bandwidth=False)
        try:
            run.checkpoint(at_end=True).results(lambda: wrong).run()
            sys.exit(f"{wrong} is a result")
        except TypeError:
            pass
        expect(Path("numbers/summary.json").exists(), f"{wrong} leaves no summary")
        expect(Path("numbers/chk/0000004/manifest.json").exists(), f"{wrong} leaves no checkpoint")


def check_derived_numbers():
    total, look = goban.Parameter("total"), goban.Program("look")
    look.reduce(lambda u: u(), u, how="sum", into=total)
    u.fill(1)
    run = goban.Simulation(grid, body, steps=2, directory="derived", name="run",
                           measure_bandwidth=False)
    run.derive(look).series("t", [total, goban.sum_of(u)], every=1).run()
    rows = Path("derived/run_t.csv").read_text(encoding="utf-8").splitlines()
    expect([row.split(",")[2:] for row in rows[1:]] == [["192", "192"]] * 3, rows)


def check_memory():
    """Fields are freed as soon as nobody refers to them, on the same grid and with their grid."""
    def run_on(grid):
        u, next = grid.field("u"), grid.field("next")
        u.fill(lambda x, y: x)
        step = goban.Program("step")
        step.apply(lambda u, next: next.__setitem__(..., u()), u, next).over((0, 0), (9, 9))
        step.swap(u, next)
        goban.Engine(goban.Program("twice").repeat(2, step)).run(1)
        goban.Simulation(grid, step, steps=1, measure_bandwidth=False).on(len, at=[9]).run()

    def peak():  # MiB
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    gc.disable()
    same = goban.Grid((1000, 1000))
    run_on(same), run_on(goban.Grid((1000, 1000)))
    before = peak()
    for _ in range(5):
        run_on(same), run_on(goban.Grid((1000, 1000), boundary=goban.constant(lambda time: time)))
    gc.enable()
    expect(peak() < before + 40, f"{peak() - before} MiB more for five times the same")


check_wrong_ones()
check_that_all_are_checked()
check_values()
check_schedules()
check_loops()
check_numbers_of_functions()
check_derived_numbers()
check_memory()
print("all arguments")
