"""Scripts under mpirun: all have the bits of one process, whole arrays are the same
on all of them; a script that fails on one rank ends the others. Case files run from a script."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, launchers, run, skip_if_impossible  # noqa: E402

ONE_FAILS = """
import goban
if goban.runtime().rank == 1:
    raise ValueError("only here")
grid = goban.Grid((16, 12, 8))
grid.field("u").fill(1).sum()
"""
VIEWS = """
import numpy as np
import goban
grid = goban.Grid((20, 15, 12))
u, next = grid.field("u"), grid.field("next")
u.fill(lambda x, y, z: np.sin(x) + y * z)
def double(read, written):
    written[...] = 2 * read
step = goban.Program("step")
step.apply(lambda u, next: next.__setitem__(..., u(1, 0, 0) + 0.5 * u(0, -1, 1)), u, next)
step.call_on_device(double, reads=[next], writes=[u])
engine = goban.Engine(step).run(2)
for view in u.views(writable=True):
    view[...] = np.minimum(view, 1000)
engine.run(2)
checksum = u.checksum()
if goban.runtime().rank == 0:
    print(checksum, len(u.views()))
"""
OUTPUT = """
import numpy as np
import goban
grid = goban.Grid((20, 15, 12))
u = grid.field("u").fill(lambda x, y, z: np.sin(x) + y * z)
step = goban.Program("add")
step.apply(lambda u: u.__setitem__(..., u() + 1), u)
run = goban.Simulation(grid, step, steps=2, measure_bandwidth=False)
run.output(lambda step, time, wall: u.numpy(), name="whole", every=2).run()
"""
CASE = """
import goban
summary = goban.run({case!r}, {{"grid.cells": [24, 20, 16], "time.end": "0.2 ms"}}, threads=1)
print(summary["checksum"])
try:
    goban.run({case!r}, {{"grid.cellz": [24, 20, 16]}})
except goban.Error as error:
    print(error.code, error)
"""

skip_if_impossible()
with tempfile.TemporaryDirectory() as folder:
    stages = SOURCE / "tests/python/stages.py"
    run(stages, folder)
    alone = (Path(folder) / "checksums.0").read_text()
    of_views = run(VIEWS, folder)
    run(OUTPUT, folder)
    written = Path(folder) / "out/add/add_whole.0000002.npy"
    whole = written.read_bytes()
    for mpirun in launchers():
        assert run(VIEWS, folder, launcher=[mpirun, "-n", "3"]) == of_views, mpirun
        run(stages, folder, launcher=[mpirun, "-n", "3"])
        written.unlink()
        run(OUTPUT, folder, launcher=[mpirun, "-n", "3"])
        assert written.read_bytes() == whole, mpirun
        for rank in range(3):
            found = (Path(folder) / f"checksums.{rank}").read_text()
            assert found == alone, f"{mpirun}, rank {rank}: {found}"
            (Path(folder) / f"checksums.{rank}").unlink()
        said = run(ONE_FAILS, folder, launcher=[mpirun, "-n", "2"], code=None)
        assert "rank 1" in said and "ValueError: only here" in said, said

    case = str(SOURCE / "cases/heat/hotspot.toml")
    said = run(CASE.format(case=case), folder)
    last = [line for line in said.splitlines() if "does nothing" not in line][-1]
    assert "2 " in last and "grid.cells" in last, said
    assert (Path(folder) / "out/hotspot/summary.json").exists()
