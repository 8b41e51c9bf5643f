"""A script with types, which mypy --strict accepts, and slips that it finds: lines that end in what
it is to say.
"""

from typing import Any

import numpy as np

import goban


def diffuse(u: Any, next: Any, r: float) -> None:
    next[...] = u() + r * goban.laplacian(u, axes=2)


def double(a: goban.View, b: goban.View) -> None:
    b[...] = 2 * np.asarray(a)


grid = goban.Grid((32, 24), spacing=0.1, boundary=(goban.periodic, goban.wall_value(0)))
u, v = grid.field("u", np.float32), grid.field("v", "float32")
u.fill(lambda x, y: x * y)[3:9, ::2] = 1.5
step = goban.Program("typed")
step.apply(diffuse, u, v, r=0.1).over((0, 0), (16, 16)).named("left")
step.swap(u, v).call_on_device(double, reads=[u], writes=[v])
dt, largest = goban.Parameter("dt", 0.5, np.float32), goban.Parameter("largest")
step.reduce(lambda u: abs(u()), u, how="maximum", into=largest)
step.compute(lambda largest: 0.5 / largest, largest, into=dt)
values: "np.ndarray[Any, Any]" = u.numpy()
with u.view(writable=True) as view:
    view[0] = 1
    shape: tuple[int, ...] = view.shape
run = goban.Simulation(grid, step, steps=10, dt=dt, directory="typed")
run.output([u, (v, "K")], every=5)
run.output(lambda step, time, wall: u.numpy(), name="copy", every=5)
run.series("sums", [goban.sum_of(u), dt, ("a", "m", lambda: 1.0)], every=1, at_end=True)
run.checkpoint(minutes=5, keep=1).picture(u, at=[1, 10]).on(lambda step, time, wall: None, every=2)
steps: int = run.run().last_step
version: str = goban.__version__

# Slips:
run.output([u], evry=5)  # Unexpected keyword argument "evry"
run.output([u], every=0.5)  # Argument "every" to "output" of "Simulation" has incompatible type
grid.feild("w")  # "Grid" has no attribute "feild"
goban.Grid("32")  # Argument 1 to "Grid" has incompatible type "str"
step.swap(u, dt)  # Argument 2 to "swap" of "Program" has incompatible type "Parameter"
goban.nothing  # Module has no attribute "nothing"
u.view(writeable=True)  # Unexpected keyword argument "writeable"
