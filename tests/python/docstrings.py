"""All that the package offers is typed, and has a docstring with an example, which runs."""

import doctest
import inspect
import sys

import numpy as np

import goban




def members(name, one):
    """The object and the calls of a class that a script makes."""
    yield name, one
    if inspect.isclass(one):
        for inner, method in vars(one).items():
            is_call = inspect.isfunction(method) or isinstance(method, property)
            if is_call and not inner.startswith("_") and inner != "handle":  # the package's own
                yield f"{name}.{inner}", method


def what_is_missing(name, one):
    function = one.fget if isinstance(one, property) else one.__init__ if inspect.isclass(one) \
        else one
    if not one.__doc__:
        yield f"{name}: no docstring"
    if inspect.isclass(one) and "__init__" not in vars(one) or not inspect.isfunction(function):
        return
    signature = inspect.signature(inspect.unwrap(function))
    untyped = [parameter.name for parameter in signature.parameters.values()
               if parameter.annotation is inspect.Parameter.empty and parameter.name != "self"]
    if untyped or signature.return_annotation is inspect.Signature.empty:
        yield f"{name}: no types of {', '.join(untyped) or 'what it returns'}"


def failures_of_examples(name, one):
    if isinstance(one, property) or not callable(one):
        return 0
    grid = goban.Grid((16, 16))
    names = {"goban": goban, "np": np, "grid": grid, "u": grid.field("u"),
             "next": grid.field("next"), "program": goban.Program("add")}
    names["program"].apply(lambda u: u.__setitem__(..., u() + 1), names["u"])
    if name.startswith("Simulation."):
        names["simulation"] = goban.Simulation(grid, names["program"], steps=10,
                                               directory=name, measure_bandwidth=False)
    tests = [test for test in doctest.DocTestFinder(recurse=False).find(
        one, name, globs=names, module=False)]
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in tests:
        runner.run(test)
    return runner.summarize(verbose=False).failed


missing, without, failed = [], [], 0
public_names = {**{name: getattr(goban, name) for name in goban.__all__},
                **{f"plot.{name}": getattr(goban.plot, name) for name in goban.plot.__all__}}
for name, public in public_names.items():
    for what, member in members(name, public):
        missing += what_is_missing(what, member) if callable(member) or isinstance(
            member, property) else ()
        is_made_by_hand = callable(member) and not isinstance(member, goban.BoundaryCondition)
        if is_made_by_hand and ">>>" not in (member.__doc__ or ""):
            without.append(what)
        failed += failures_of_examples(what, member)
for name in ("output", "picture", "series", "probe", "line", "plane", "statistics", "averages",
             "checkpoint", "bodies", "on"):
    names = inspect.signature(getattr(goban.Simulation, name)).parameters
    if not {"every", "every_time", "minutes", "at", "at_end"} <= set(names) or "when" in names:
        missing.append(f"Simulation.{name}: its schedule has no names")
if not goban.__version__[0].isdigit():
    missing.append(f"goban.__version__ is {goban.__version__}")
if missing or without or failed:
    sys.exit("\n".join(missing + [f"{one}: no example" for one in without]
                       + [f"{failed} examples fail"]))
print("all docstrings")
