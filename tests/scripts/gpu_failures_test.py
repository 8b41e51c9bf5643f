#!/usr/bin/env python3
"""GPUs that are not there, too small, taken by others or whose rank dies: one line that says so, the
exit code, in time, and a run that then goes on with the GPUs that are left. Needs a GPU, for the last
two of them and Open MPI."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mpi_runs_test import ENVIRONMENT, GOBAN, SOURCE, launchers, pid_of_rank

CASE = str(SOURCE / "cases/heat/hotspot.toml")
BYTES_PER_CELL = 16  # two fields in double precision
PATIENCE = 120  # seconds
SMALL = ["grid.cells=[128,128,128]", "grid.spacing=1 mm", "time.dt=1 us", "time.end=1000"]


def start(folder, *words, launcher=(), devices="cuda", **variables):
    return subprocess.Popen([*launcher, GOBAN, "run", CASE, "--out", str(folder), "--devices", devices,
                             *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, **ENVIRONMENT, **variables})


def end(job):
    """Exit code and all it said."""
    said, _ = job.communicate(timeout=PATIENCE)
    return job.returncode, said


def run(folder, *words, **more):
    return end(start(folder, *words, **more))


def ask_gpus(what):
    """A number of each GPU; empty where there is none."""
    if not shutil.which("nvidia-smi"):
        return []
    found = subprocess.run(["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader,nounits"],
                           capture_output=True, text=True)
    return [int(line) for line in found.stdout.split()] if found.returncode == 0 else []


def cube(mib):
    """The grid whose fields take so much memory of a GPU."""
    edge = round((mib * 2**20 / BYTES_PER_CELL) ** (1 / 3))
    return [f"grid.cells=[{edge},{edge},{edge}]", "grid.spacing=1 mm", "time.dt=1 us"]


def expect_refusal(found, pattern):
    code, said = found
    lines = [line for line in said.splitlines() if line.startswith("goban: ") and "does nothing" not in line]
    assert code == 3 and len(lines) == 1 and re.search(pattern, lines[0]), found
    assert "CUDA_ERROR" not in said, said
    print(f"{code}: {lines[0]}")


def wait_until(holds, job):
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert job.poll() is None, job.communicate()[0]
        assert time.monotonic() < deadline, "nothing happens"
        time.sleep(0.01)


def try_devices_that_are_not_there(root):
    expect_refusal(run(root / "none", *SMALL, CUDA_VISIBLE_DEVICES=""), "cannot compute on cuda|there is no GPU")
    expect_refusal(run(root / "ninth", *SMALL, devices="cuda:9"), "there is no GPU 9")


def try_grids_that_do_not_fit(root):
    free = ask_gpus("memory.free")[0]
    for factor in (1.01, 2, 100):
        begin = time.monotonic()
        expect_refusal(run(root / "large", *cube(factor * free), "time.steps=1", devices="cuda:0"), "memory")
        print(f"  {factor:g} of {free} MiB, after {time.monotonic() - begin:.1f} s")


def try_the_largest_grid_that_fits(root):
    """What a refusal says fits does, and takes nearly all memory."""
    free = ask_gpus("memory.free")[0]
    _, said = run(root / "larger", *cube(free), "time.steps=1", devices="cuda:0")
    edge = re.search(r"of this shape (\d+) x", said)[1]
    job = start(root / "largest", f"grid.cells=[{edge},{edge},{edge}]", "grid.spacing=1 mm", "time.dt=1 us",
                "time.steps=1", "checkpoint.at_end=false", "output.snapshots.at_end=false", devices="cuda:0")
    most = 0
    while job.poll() is None:
        most = max(most, free - ask_gpus("memory.free")[0])
        time.sleep(0.1)
    code, said = end(job)
    assert code == 0, (code, said)
    assert most > 0.9 * free, (most, free)
    print(f"{edge}^3 cells fit: {most} of {free} MiB are taken")


def try_memory_that_others_have(root):
    free = ask_gpus("memory.free")[0]
    holder = start(root / "holder", *cube(0.6 * free), "time.end=1000", devices="cuda:0")
    try:
        wait_until(lambda: ask_gpus("memory.free")[0] < 0.5 * free, holder)
        expect_refusal(run(root / "late", *cube(0.6 * free), "time.steps=1", devices="cuda:0"), "memory")
    finally:
        holder.kill()
        holder.communicate()


def try_a_rank_that_dies(root, launcher):
    """In the middle of exchanges by NCCL; what is left of the GPUs goes on."""
    words = [*SMALL, "checkpoint.every=500", "time.steps=20000"]
    lost = root / "lost"
    job = start(lost, *words, "--transport", "nccl", launcher=[launcher, "-n", "2"])
    wait_until(lambda: (lost / "chk/0001000").exists(), job)
    os.kill(pid_of_rank(1, lost), 9)
    begin = time.monotonic()
    code, said = end(job)
    seconds = time.monotonic() - begin
    assert code != 0 and said.count("goban: error: rank 1 ") == 1, (code, said)
    assert seconds < 10, seconds
    sums = []
    for folder, more in ((lost, ["--restart"]), (root / "whole", [])):
        code, said = run(folder, *words, *more, devices="cuda:0")
        assert code == 0, said
        summary = json.loads((folder / "summary.json").read_text())
        sums.append(summary["checksum"])
    assert "restarted_from" in json.loads((lost / "summary.json").read_text())
    assert sums[0] == sums[1], sums
    print(f"a rank that exchanged by NCCL was killed: all had ended after {seconds:.1f} s")


def main():
    if not ask_gpus("index"):
        print("no GPU here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as root:
        root = Path(root)
        try_devices_that_are_not_there(root)
        try_grids_that_do_not_fit(root)
        if os.environ.get("GOBAN_LONG_TESTS"):
            try_the_largest_grid_that_fits(root)
        try_memory_that_others_have(root)
        for mpi, launcher in launchers():
            if mpi == "openmpi" and len(ask_gpus("index")) > 1:
                try_a_rank_that_dies(root, launcher)


if __name__ == "__main__":
    main()
