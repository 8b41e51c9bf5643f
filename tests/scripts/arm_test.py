#!/usr/bin/env python3
"""goban is for 64-bit ARM as well: sources that name instructions, a program of a user's (by clang, where that is the
compiler), and kernels of CPUs compile for it. Whether they
compute there what they should is for a machine of this kind, or qemu, to say (CONTRIBUTING.md)."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GOBAN, SOURCE = os.environ["GOBAN"], Path(os.environ["GOBAN_SOURCE"])
CLANG = os.environ.get("GOBAN_TEST_CLANG", "")
OPTIONS = ["-x", "c++", "-std=c++20", "-O0", "-ffp-contract=off", "-fno-math-errno", "-w"]
SOURCES = ["../../examples/diffusion/diffusion.cpp", "backend/instruction_set.cpp", "backend/cpu/row_ends.cpp", "backend/cpu/thread_team.cpp",
           "backend/cpu/evaluator/row_loops_baseline.cpp", "particle/nodes/node_loops_baseline.cpp",
           "base/process/subnormals.cpp", "base/exact_sum.cpp"]

if "zig" in CLANG:
    compiler = [*shlex.split(CLANG), "--target=aarch64-linux-gnu", "-mcpu=baseline"]
elif shutil.which("aarch64-linux-gnu-g++"):
    compiler = ["aarch64-linux-gnu-g++"]
else:
    print("skipped: no compiler for ARM (pip install ziglang and set GOBAN_TEST_CLANG=\"python3 -m ziglang c++\")")
    sys.exit(77)


def compile_file(folder, file, *options):  # zig leaves its result in the working directory, too
    done = subprocess.run([*compiler, *OPTIONS, *options, "-c", "-o", "compiled.o", str(file)],
                          capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, f"{file}: {done.stderr[:3000]}"


with tempfile.TemporaryDirectory() as folder:
    kernels = Path(folder) / "kernels"
    environment = {**os.environ, "GOBAN_KERNEL_CACHE": str(kernels)}
    for precision in ("float32", "half"):
        made = subprocess.run([GOBAN, "precompile", SOURCE / "cases/heat/hotspot.toml", "--isa", "x86-64",
                               "run.kernels=keep", f"run.precision={precision}"],
                              capture_output=True, text=True, env=environment)
        assert made.returncode == 0, made.stderr
    texts = sorted(kernels.glob("*.cpp"))
    assert texts, f"no texts in {sorted(kernels.iterdir())}"
    # Their packs fill registers of 16 bytes, as those of ARM do.
    for text in texts:
        compile_file(folder, text, "-nostdlib", "-fwrapv", "-fno-exceptions", "-fno-rtti", "-DGOBAN_CPU_KERNEL")
    includes = Path(folder) / "include"  # libraries of headers, without those of this machine's processor
    includes.mkdir()
    for name in ("fmt", "nlohmann"):
        (includes / name).symlink_to(f"/usr/include/{name}")
    for source in SOURCES:
        compile_file(folder, SOURCE / "src/goban" / source, f"-I{SOURCE / 'src'}", f"-I{includes}")
print(f"{len(texts)} kernels and {len(SOURCES)} sources compile for ARM")
