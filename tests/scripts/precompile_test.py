#!/usr/bin/env python3
"""`goban precompile` compiles what cases need on GPUs, once."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

GOBAN, SOURCE = os.environ["GOBAN"], Path(os.environ["GOBAN_SOURCE"])


def precompile(folder, case, *more):
    """How many kernels a case has and how many were compiled now."""
    done = subprocess.run([GOBAN, "precompile", SOURCE / "cases" / case, "--arch", "sm_90", *more],
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
    for case in ("heat/hotspot.toml", "lbm/cavity.toml"):
        kernels, compiled = precompile(folder, case)
        assert compiled > 0, f"{case} has no kernels of its own"
        assert precompile(folder, case) == (kernels, 0), f"{case} is compiled again"
    files = len(list(Path(folder).glob("*.kernel")))
    assert files > 4, files
    refused = subprocess.run([GOBAN, "precompile", SOURCE / "cases/heat/hotspot.toml", "--arch", "volta"],
                             capture_output=True, text=True)
    assert refused.returncode == 2 and "--arch volta is refused" in refused.stderr, refused.stderr
