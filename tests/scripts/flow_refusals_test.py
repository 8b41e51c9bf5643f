#!/usr/bin/env python3
"""Flows that cannot be computed end with one line and their exit code."""

import os
import subprocess
import tempfile
from pathlib import Path

GOBAN, SOURCE = os.environ["GOBAN"], Path(os.environ["GOBAN_SOURCE"])
ROLLS, PIPE = "rolls", "cylinder"
USAGE, RESOURCES, DIVERGED = 2, 3, 5

REFUSED = [
    # Neumann sides all around, and more enters than leaves.
    (PIPE, ['boundary.x=["inflow", "wall"]'], USAGE, "what flows in has no way out"),
    (ROLLS, ["grid.cells=[4003, 4, 1]", "grid.spacing=[100, 0.25, 1]"], USAGE,
     "multigrid cannot solve on 4003 x 4 x 1 cells"),
    (ROLLS, ["pressure.tolerance=1e-30", "pressure.limit=3"], DIVERGED, "did not converge"),
    (ROLLS, ["pressure.solver=jacobi", "pressure.tolerance=1e-12", "pressure.limit=20"], DIVERGED,
     "did not converge"),
    (ROLLS, ["scheme.courant=1.5"], USAGE, "the scheme holds up to 1"),
    (ROLLS, ["time.dt=1"], USAGE, "the scheme is stable up to"),
    (ROLLS, ["time.dt=5e-5", "flow.gravity=[0, -1e7, 0]", "scheme.time=rk3"], DIVERGED,
     "the Courant number is"),
    (PIPE, ["pressure.solver=fourier"], USAGE, "around solids there are no waves"),
    (ROLLS, ["pressure.solver=fourier"], RESOURCES, "there is no nothing.so"),
    (ROLLS, ["output.spectrum.every=1"], USAGE, "the grid is not periodic along y"),
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        for case, keys, code, text in REFUSED:
            run = subprocess.run([GOBAN, "run", str(SOURCE / f"cases/flow/{case}.toml"), *keys,
                                  "run.threads=1", "--out", f"{folder}/run", "--overwrite"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "GOBAN_FFTW": "nothing.so"})
            lines = [line for line in run.stderr.splitlines() if line.startswith("goban: ")]
            assert run.returncode == code, (keys, run.returncode, run.stderr[-1000:])
            assert len(lines) == 1 and text in lines[0], (keys, run.stderr[-1000:])


main()
