"""Gradients of scripts, beside differences. Leaves checksums that must be the same whatever
computes.
"""

import importlib.util
import tempfile
from pathlib import Path

import numpy as np

import goban

checksums = []


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def has_fourier():
    """Whether there is FFTW."""
    grid = goban.Grid((4, 4))
    try:
        goban.Fourier(grid.field("u"), grid.field("f"), transforms="host")
    except goban.Error:
        return False
    return True


def refusal(call):
    try:
        call()
    except goban.Error as error:
        return str(error)
    raise AssertionError("nothing was refused")


def of_second_order(run, at, gradients, what):
    """run(values) = run(at) + h <gradients, changes> + O(h^2), of lists of arrays and numbers."""
    random = np.random.default_rng(2)
    changes = [random.random(np.shape(one)) - 0.4 for one in at]
    slope = sum(np.sum(a * b) for a, b in zip(gradients, changes))
    rests = []
    for h in (1e-2, 1e-3, 1e-4):
        moved = run([a + h * b for a, b in zip(at, changes)])
        rests.append(abs(moved - run(at) - h * slope))
    expect(rests[1] < 0.012 * rests[0] and rests[2] < 0.012 * rests[1], f"{what}: {rests}")


def flow():
    """A step of several fields, components, kinds of stages and numbers."""
    grid = goban.Grid((12, 9), 0.5, boundary=(goban.periodic, (goban.mirror, goban.wall_value(1))))
    h, h_next, drag = (grid.field(name) for name in ("h", "h_next", "drag"))
    q = grid.field("q", components=2)
    strength, dt = goban.Parameter("strength", 0.3), goban.Parameter("dt", 0.05)

    def heights(h, q, h_next, dt):
        h_next[...] = h() - dt * (goban.d(q[0], "x") + goban.d(q[1], "y")) * (1 + 0.1 * h())

    def flows(h, q, drag, site, dt, strength):
        q[0] -= dt * (goban.sin(q[0]()) * goban.abs(drag()) + strength * h()**2)
        q[1] += dt * goban.select(h() > 0.2, goban.sqrt(h()), h()) + 0.01 * site.position("y")

    def spring(q, amplitude):
        q[0] += amplitude * q[1]()
    step = goban.Program("flow")
    step.apply(heights, h, q, h_next, dt=dt)
    step.swap(h, h_next)
    step.apply(flows, h, q, drag, goban.site, dt=dt, strength=strength)
    step.apply(spring, q, amplitude=strength).over((2, 2), (5, 7))

    def objective(h, q, drag):
        return (h(1, 0) - 0.3)**2 + q[0]() * q[1](0, 1) + 0.1 * drag()
    random = np.random.default_rng(1)
    asked = [h, q, drag, strength, dt]
    at = [random.random(field.shape) + 0.5 for field in asked[:3]] + [0.3, 0.05]

    def run(values):
        for one, value in zip(asked, values):
            if isinstance(one, goban.Field):
                one[...] = value
            else:
                one.value = float(value)
        total, sums = goban.Parameter("total"), goban.Program("sums")
        sums.reduce(objective, h, q, drag, how="sum", into=total)
        goban.Engine(step).run(7)
        goban.Engine(sums).run(1)
        return total.value
    value = run(at)
    for one, start in zip(asked, at):
        if isinstance(one, goban.Field):
            one[...] = start
    adjoint = goban.Adjoint(step, goban.stage(objective, h, q, drag), asked)
    found, gradients = adjoint.value_and_gradient(7, states=3)
    expect(found == value, f"the objective is {found}, not {value}")
    expect([np.shape(one) for one in gradients] == [np.shape(one) for one in at], "the shapes")
    expect(np.array_equal(h.numpy(), at[0]), "fields hold something else afterwards")
    expect(adjoint.steps_computed <= 7 * 3, f"{adjoint.steps_computed} steps were computed")
    again, others = adjoint.value_and_gradient(7, states=1)
    expect(again == value and all(np.array_equal(a, b) for a, b in zip(gradients, others)),
           "one state gives other bits")
    with tempfile.TemporaryDirectory() as folder:
        found_again, others = adjoint.value_and_gradient(7, memory=1, folder=folder)
    expect(found_again == value and all(np.array_equal(a, b) for a, b in zip(gradients, others)),
           "states in files give other bits")
    of_second_order(run, at, gradients, "flow")
    checksums.append([np.asarray(one).tobytes().hex() for one in gradients])


def traces():
    """Of what receivers off the grid hear of a source, of two components, at every step."""
    grid = goban.Grid((14, 11), 0.5, boundary=(goban.periodic, goban.mirror))
    c, p, before = grid.field("c"), grid.field("p", components=2), grid.field("p0", components=2)
    push = goban.Parameter("push")

    def wave(p, c, before):
        for n in range(2):
            before[n] = 2 * p[n]() - before[n]() + c()**2 * goban.laplacian(p[n], axes=2)
    step = goban.Program("waves").follow(push, lambda time: np.sin(2 * time + 0.3))
    step.apply(wave, p, c, before)
    step.swap(p, before)
    goban.inject(step, p, [(2.3, 1.9)], [push], component=1)
    shore = goban.Receivers(p, [(4.1, 3.2), (4.3, 3.1), (0.6, 5.4)])
    shore.add_record(step)
    random = np.random.default_rng(4)
    at = [0.2 + 0.2 * random.random(c.shape), random.random(p.shape)]
    weights = random.random((9, 3, 2))

    def heard(traces):
        return (weights * traces**2).sum() / 2, weights * traces

    def begin(values):
        c[...], p[...] = values
        before.fill(0)

    def run(values):
        begin(values)
        first = len(shore.traces)
        goban.Engine(step, dt=0.1).run(9)
        return heard(shore.traces[first:])[0]
    value = run(at)
    begin(at)
    count = len(shore.traces)
    adjoint = goban.Adjoint(step, shore.objective(heard), [c, p], dt=0.1)
    found, gradients = adjoint.value_and_gradient(9, states=3)
    expect(found == value, f"the objective is {found}, not {value}")
    expect(len(shore.traces) == count, "an adjoint leaves records")
    expect(np.array_equal(p.numpy(), at[1]), "fields hold something else afterwards")
    of_second_order(run, at, gradients, "traces")
    begin(at)
    simulation = goban.Simulation(grid, step, steps=9, dt=0.1)
    again, others = simulation.value_and_gradient(shore.objective(heard), [c, p])
    expect(again == value and all(np.array_equal(a, b) for a, b in zip(gradients, others)),
           "a simulation gives other bits")
    said = refusal(lambda: goban.Adjoint(step, shore.objective(
        lambda traces: (0.0, traces[1:])), [c]).value_and_gradient(2))
    expect("derivatives of shape (1, 3, 2) are refused (the traces have (2, 3, 2))" in said, said)
    said = refusal(lambda: goban.Adjoint(goban.Program("none"), shore.objective(heard), [p]))
    expect("the gradient of samples is refused (the step does not take them)" in said, said)
    said = refusal(lambda: goban.Simulation(grid, step, end=1.0).value_and_gradient(
        shore.objective(heard), [c]))
    expect("a gradient is refused (the simulation ends at a time); name its steps=" in said, said)
    checksums.append([one.tobytes().hex() for one in gradients])


def single():
    """float32, and half stored."""
    grid = goban.Grid((16, 16))
    u, next = grid.field("u", "float32"), grid.field("next", "float32")
    c = grid.field("c", "float16")
    u[...] = np.random.default_rng(3).random((16, 16)).astype("float32")
    c.fill(0.5)

    def spread(u, c, next):
        next[...] = u() + 0.25 * c() * goban.laplacian(u, axes=2)
    step = goban.Program("spread")
    step.apply(spread, u, c, next)
    step.swap(u, next)
    value, (of_u, of_c) = goban.Adjoint(
        step, goban.stage(lambda u: u() * u(), u), [u, c]).value_and_gradient(4)
    expect(of_u.dtype == of_c.dtype == np.float32, "the types")
    expect(np.isclose((of_u * u.numpy()).sum(), 2 * value, rtol=1e-5), "not of second degree")
    checksums.append([one.tobytes().hex() for one in (of_u, of_c)])


def levels(u, next, s):
    s[0] = u() + s[0].before()
    next[...] = s[0]()


def columns():
    """Of sums up to each level, u of a level is in all from there on."""
    grid = goban.Grid((8, 6), boundary=goban.mirror)
    u, next = grid.field("u").fill(1), grid.field("next")
    sums = goban.Program("sums")
    sums.columns("y", levels, None, u, next, goban.scratch())
    value, (of_u,) = goban.Adjoint(
        sums, goban.stage(lambda next: next(), next), [u]).value_and_gradient(1)
    expect(value == 8 * 21 and (of_u == [6, 5, 4, 3, 2, 1]).all(), of_u)
    checksums.append(of_u.tobytes().hex())


def in_torch():
    """Steps as a function of PyTorch, beside its differences; its optimizer finds what was there."""
    import torch
    torch.set_num_threads(1)
    grid = goban.Grid((4, 3), boundary=goban.mirror)
    u, next, c, q = grid.field("u"), grid.field("next"), grid.field("c"), grid.field("q", components=2)
    k = goban.Parameter("k", 0.3)

    def spread(u, c, q, next, k):
        next[...] = u() + k * (c() + c(1, 0)) * (u(1, 0) - u()) + 0.1 * q[0]() * u(0, 1)

    def push(u, q):
        q[0] = 0.9 * q[0]() + 0.1 * u() * q[1]()
    step = goban.Program("spread")
    step.apply(spread, u, c, q, next, k=k)
    step.swap(u, next)
    step.apply(push, u, q)
    function = goban.torch_function(step, 3, [c, u, q, k], [u, q])
    random = torch.Generator().manual_seed(1)
    given = [torch.rand(shape, dtype=torch.float64, generator=random, requires_grad=True)
             for shape in (c.shape, u.shape, q.shape, ())]
    expect(torch.autograd.gradcheck(function, given), "torch.autograd.gradcheck")
    u.fill(1)
    u[0, 0] = 2
    conduct = goban.torch_function(step, 3, [c], [u])
    wanted = conduct(given[0].detach())
    found = torch.full(c.shape, 0.5, dtype=torch.float64, requires_grad=True)
    misfit = conduct(found).sub(wanted).square().sum()
    misfit.backward()
    with torch.no_grad():
        closer = conduct(found - 0.01 * found.grad).sub(wanted).square().sum()
    expect(closer < misfit, f"{closer} after a step, {misfit} before")
    expect(u[0, 0] == 2 and u[1, 1] == 1, "fields hold something else afterwards")
    said = refusal(lambda: conduct(found.detach().T))
    expect("a tensor of shape (3, 4) is refused (field 'c' has (4, 3))" in said, said)


def solves(add_solver):
    """Implicit steps: the source depends on a parameter, and what follows on the solution."""
    grid = goban.Grid((8, 8), 0.5, boundary=goban.wall_value(0))
    u, f, p, next = (grid.field(name) for name in ("u", "f", "p", "next"))
    strength = goban.Parameter("strength", 0.4)

    def source(u, f, strength):
        f[...] = strength * u() * u(1, 0) - u()

    def follow(u, p, next):
        next[...] = u() + 0.1 * p() * (p(0, 1) - u())
    step = goban.Program("implicit")
    step.apply(source, u, f, strength=strength)
    add_solver(step, p, f)
    step.apply(follow, u, p, next)
    step.swap(u, next)
    random = np.random.default_rng(5)
    at = [random.random(u.shape), 0.4]
    total, sums = goban.Parameter("total"), goban.Program("sums")
    sums.reduce(lambda u: u() ** 2, u, how="sum", into=total)
    solving, summing = goban.Engine(step), goban.Engine(sums)

    def run(values):
        u[...], strength.value = values[0], float(values[1])
        p.fill(0)
        solving.run(2)
        summing.run(1)
        return total.value
    run(at)
    u[...], strength.value = at
    p.fill(0)
    adjoint = goban.Adjoint(step, goban.stage(lambda u: u() ** 2, u), [u, strength])
    value, gradients = adjoint.value_and_gradient(2)
    of_second_order(run, at, gradients, "solves")


def refusals():
    grid = goban.Grid((8, 8), boundary=goban.mirror)
    u, next, mask = grid.field("u"), grid.field("next"), grid.field("mask", "uint8")
    total = goban.stage(lambda u: u(), u)
    sums = goban.Program("sums")
    sums.columns("y", levels, None, u, next, goban.scratch()).where(mask)
    said = refusal(lambda: goban.Adjoint(sums, total, [u]))
    expect(said == "no derivatives of stage 'levels' (it sweeps columns, of which a mask leaves "
           "cells out); take the mask off", said)
    said = refusal(lambda: goban.Adjoint(goban.Program("none"), total, [next]))
    expect("depends on nothing that the gradient is asked for" in said, said)
    said = refusal(lambda: goban.Adjoint(goban.Program("none"), total, [u]).value_and_gradient(-1))
    expect("a gradient of -1 steps is refused" in said, said)


flow()
traces()
single()
columns()
solves(lambda step, p, f: goban.Multigrid(p, f).add_solve(step, 1e-13, 60, derivatives=1e-13))
if has_fourier():
    solves(lambda step, p, f: goban.Fourier(p, f, transforms="host").add_solve(step))
refusals()
if importlib.util.find_spec("torch"):
    in_torch()
else:
    print("no PyTorch here: functions of it were not tried")
    said = refusal(lambda: goban.torch_function(goban.Program("none"), 1, [], []))
    expect("PyTorch is not here (goban.torch_function makes a function of it); pip install torch"
           in said, said)
Path("checksums").write_text(repr(checksums))
print("derived")
