"""Gradients of scripts, beside differences. Leaves checksums that must be the same whatever
computes.
"""

from pathlib import Path

import numpy as np

import goban

checksums = []


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


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
    of_second_order(run, at, gradients, "flow")
    checksums.append([np.asarray(one).tobytes().hex() for one in gradients])


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
single()
columns()
refusals()
Path("checksums").write_text(repr(checksums))
print("derived")
