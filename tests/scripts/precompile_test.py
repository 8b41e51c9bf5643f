#!/usr/bin/env python3
"""Every kernel of a case of each application compiles: `goban precompile`, without a GPU. What is kept is found.
With GOBAN_LONG_TESTS the kernels of every case are compiled."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

GOBAN, SOURCE = os.environ["GOBAN"], Path(os.environ["GOBAN_SOURCE"])


def precompile(folder, case, *more):
    """How many kernels a case has and how many were compiled now."""
    done = subprocess.run([GOBAN, "precompile", case, "--arch", "sm_90", *more],
                          capture_output=True, text=True,
                          env={**os.environ, "GOBAN_KERNEL_CACHE": str(folder)})
    if "no compiler for GPUs" in done.stderr or "built without CUDA" in done.stderr:
        print(done.stderr)
        sys.exit(77)
    assert done.returncode == 0, f"{case}: {done.stderr}"
    found = re.match(r"(\d+) kernels for sm_90, (\d+) of them compiled now, in .* kept in (.*)\n", done.stdout)
    assert found and found[3] == str(folder), done.stdout
    return int(found[1]), int(found[2])


with tempfile.TemporaryDirectory() as folder:
    cases = [case for case in sorted((SOURCE / "cases").glob("*/*.toml"))
             if case.name != "cast_iron.toml"  # its image is not in the repository
             and case.parent.name != "papers"  # kernels of the same applications
             and case.parent.name != "graph500"]  # no grid: its first run compiles what it needs
    if "GOBAN_LONG_TESTS" not in os.environ:
        first_ones = {case.parent: case for case in reversed(cases)}.values()
        cases = [*first_ones, SOURCE / "cases/atmosphere/shower.toml"]  # whose loop ends by a maximum
    for case in cases:
        kernels, _ = precompile(folder, case)
        assert kernels > 0, f"{case} has no kernels"
    assert precompile(folder, cases[0])[1] == 0, f"{cases[0]} is compiled again"
    refused = subprocess.run([GOBAN, "precompile", cases[0], "--arch", "volta"],
                             capture_output=True, text=True)
    assert refused.returncode == 2 and "--arch volta is refused" in refused.stderr, refused.stderr
