"""Where kernels of CPUs come from makes no difference: machine code that is waited for or made beside
the run, graphs that are evaluated because there is no compiler, or one that refuses."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD = Path(os.environ["GOBAN_BINARY_DIR"])
PROGRAM = BUILD / "tests/example_diffusion_small"
CRYSTAL = Path(os.environ["GOBAN_SOURCE"]) / "cases/dendrite/karma_rappel.toml"
# A compiler of LLVM: `.ci/run` has the Python package ziglang.
CLANG = os.environ.get("GOBAN_TEST_CLANG") or shutil.which("clang++")


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


def run_crystal(folder, name, **variables):
    """The checksums of a case whose kernels have mathematics and branches."""
    environment = {**os.environ, "GOBAN_KERNEL_CACHE": str(folder / f"kernels of {name}"), **variables}
    done = subprocess.run([BUILD / "bin/goban", "run", CRYSTAL, "grid.cells=[48,48,1]", "time.steps=20",
                           "--out", folder / name], capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and "evaluated instead" not in done.stderr, done.stderr
    return json.loads((folder / name / "summary.json").read_text())["checksum"]


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

    expected = run_crystal(folder, "crystal evaluated", GOBAN_KERNELS="evaluate")
    found = run_crystal(folder, "crystal", GOBAN_KERNELS="wait")
    assert found == expected, (found, expected)
    if CLANG:
        found = run_crystal(folder, "crystal by clang", GOBAN_KERNELS="wait", GOBAN_CXX=CLANG)
        assert found == expected, (found, expected)
    else:
        print("kernels are not compiled by clang++ (there is none, and GOBAN_TEST_CLANG is not set)")

    # The package ziglang takes the place of a compiler that is missing: bin/goban of pip, and the module.
    zig = folder / "ziglang"
    zig.mkdir()
    (zig / "__init__.py").write_text("")
    sys.path[:0] = [str(folder), str(BUILD / "lib/goban/python")]
    from goban import _library
    path, os.environ["PATH"] = os.environ["PATH"], ""
    _library.name_compiler()
    assert os.environ["GOBAN_CXX"] == f"{zig}/zig c++", os.environ["GOBAN_CXX"]
    os.environ.pop("GOBAN_CXX")
    os.environ["PATH"] = path
    _library.name_compiler()
    assert "GOBAN_CXX" not in os.environ
