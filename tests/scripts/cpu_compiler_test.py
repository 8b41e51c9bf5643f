"""Where kernels of CPUs come from makes no difference: machine code that is waited for or made beside
the run, graphs that are evaluated because there is no compiler, or one that refuses."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

PROGRAM = Path(os.environ["GOBAN_BINARY_DIR"]) / "tests/example_diffusion_small"


def run(folder, name, **variables):
    """The checksums, what was said about kernels, and how many of them were kept."""
    place, kept = folder / name, folder / f"kernels of {name}"
    place.mkdir()
    environment = {**os.environ, "GOBAN_KERNEL_CACHE": str(kept), **variables}
    done = subprocess.run([PROGRAM], cwd=place, capture_output=True, text=True, env=environment)
    said = done.stdout + done.stderr
    assert done.returncode == 0, f"{name}: {said}"
    summary = json.loads((place / "out/diffusion/summary.json").read_text())
    warnings = [line for line in said.splitlines() if "evaluated instead of compiled" in line]
    return summary["checksum"], warnings, len(list(kept.glob("*.kernel")))


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    refusing = folder / "refusing compiler"
    refusing.write_text("#!/bin/sh\n[ \"$1\" = --version ] && exec echo 'refusing 1.0'\n"
                        "echo 'it is too warm today' >&2\nexit 1\n")
    refusing.chmod(0o755)

    expected, warnings, kept = run(folder, "waits", GOBAN_KERNELS="wait")
    assert kept > 0 and not warnings, (kept, warnings)
    found, warnings, kept = run(folder, "command of words", GOBAN_KERNELS="wait",
                                GOBAN_CXX="c++ -fno-ident")
    assert found == expected and kept > 0 and not warnings, (found, kept, warnings)
    found, warnings, _ = run(folder, "beside", GOBAN_KERNELS="")
    assert found == expected and not warnings, (found, warnings)
    evaluating = {
        "evaluates": {"GOBAN_KERNELS": "evaluate"},
        "no such compiler": {"GOBAN_CXX": "/nowhere/c++"},
        "no compiler": {"GOBAN_CXX": ""},
        "no working compiler": {"GOBAN_CXX": "false"},
        "waits in vain": {"GOBAN_CXX": "/nowhere/c++", "GOBAN_KERNELS": "wait"},
    }
    for case, variables in evaluating.items():
        found, warnings, kept = run(folder, case, **variables)
        assert found == expected, (case, found, expected)
        assert kept == 0 and not warnings, (case, kept, warnings)
    found, warnings, kept = run(folder, "refused", GOBAN_CXX=str(refusing), GOBAN_KERNELS="wait")
    assert found == expected and kept == 0, (found, kept)
    assert warnings and "it is too warm today" in warnings[0], warnings
