#!/usr/bin/env python3
"""Runs on GPUs that save beside the run and are killed at random moments, each time going on with
other devices: one GPU or another, all of them, the CPU, two ranks with a GPU each. In the end
checksums and outputs are those of a run on one GPU that nobody killed. All applications at once, for
20 seconds; GOBAN_LONG_TESTS=1 takes ten minutes. Needs a GPU."""

import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gpu_failures_test import ask_gpus
from lost_nodes_test import files_in, kill, start
from mpi_runs_test import CASES, GOBAN, SOURCE, launchers

SECONDS = 600 if os.environ.get("GOBAN_LONG_TESTS") else 20
CHOSEN = [CASES[n] for n in (2, 3, 7, 9, 11, 14)]  # one of each application
ENDLESS = 10**9  # steps
OPTIONS = ["time.end=1e9", "run.threads=1", "checkpoint.every_wall=0.1 s", "checkpoint.background=true",
           "checkpoint.at_end=false", "output.series.every=1000", "output.snapshots.every=1000000000"]
PATIENCE = 300  # seconds


def choices(gpus):
    """Words before goban, and devices."""
    found = [([], f"cuda:{gpu}") for gpu in range(gpus)] + [([], "cuda"), ([], "cpu")]
    if gpus > 1:
        found += [([launcher, "-n", "2"], "cuda") for mpi, launcher in launchers() if mpi == "openmpi"]
    return found


def command(case, options, folder, steps, launcher, devices):
    return [*launcher, GOBAN, "run", str(SOURCE / "cases" / f"{case}.toml"), *options, *OPTIONS,
            f"time.steps={steps}", "--devices", devices, "--out", str(folder), "--restart"]


def newest(folder):
    return max((int(path.name) for path in (folder / "chk").glob("[0-9]*") if path.name.isdigit()), default=0)


def finish(case, options, folder, steps, devices):
    done = subprocess.run(command(case, options, folder, steps, [], devices), capture_output=True,
                          text=True, timeout=PATIENCE)
    assert done.returncode == 0, (done.args, done.returncode, done.stdout, done.stderr)
    return json.loads((folder / "summary.json").read_text())["checksum"], done.stdout + done.stderr


def try_case(case, options, root, devices):
    deaths, last, before = 0, None, 0
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        launcher, last = random.choice([one for one in devices if one[1] != last] or devices)
        job = start(command(case, options, root / "parts", ENDLESS, launcher, last))
        limit = time.monotonic() + PATIENCE
        while newest(root / "parts") == before:
            assert job.poll() is None, (job.args, job.returncode, job.communicate()[0])
            assert time.monotonic() < limit, (job.args, "nothing is saved")
            time.sleep(0.005)
        time.sleep(random.uniform(0, 0.3))
        kill(job, random)
        deaths += 1
        assert newest(root / "parts") > before, job.args
        before = newest(root / "parts")
    steps = before + 50
    found, said = finish(case, options, root / "parts", steps, devices[0][1])
    assert "restarted from " in said and f": step {before}, time" in said, said
    expected, _ = finish(case, options, root / "whole", steps, devices[0][1])
    where = f"{case}, {steps} steps"
    assert found == expected, where
    assert files_in(root / "parts") == files_in(root / "whole"), where
    print(f"{deaths} deaths: {where}", flush=True)


def main():
    gpus = len(ask_gpus("index"))
    if gpus == 0:
        print("no GPU here")
        sys.exit(77)
    seed = random.randrange(1 << 30)
    random.seed(seed)
    print(f"seed {seed}, devices {[devices for _, devices in choices(gpus)]}", flush=True)
    with tempfile.TemporaryDirectory() as root, concurrent.futures.ThreadPoolExecutor() as pool:
        jobs = [pool.submit(try_case, *case, Path(root) / str(number), choices(gpus))
                for number, case in enumerate(CHOSEN)]
        for job in jobs:
            job.result()


if __name__ == "__main__":
    main()
