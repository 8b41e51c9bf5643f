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
    for mpirun in launchers():
        run(stages, folder, launcher=[mpirun, "-n", "3"])
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
