#!/usr/bin/env python3
"""Runs under every MPI that save on nodes in the background, with parity, are killed at random
moments, all ranks, one of them or the launcher; each time a node or two lose all they had, and other
numbers of ranks go on: in the end checksums and outputs are those of a run that nobody killed.
GOBAN_LONG_TESTS=1 takes every application, often; words on the command line
choose among them: "openmpi", "lbm".

Every rank is a node: its files lie in a folder of its own."""

import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from kills_test import contents
from mpi_runs_test import CASES, ENVIRONMENT, GOBAN, SOURCE, launchers, run

IS_LONG = bool(os.environ.get("GOBAN_LONG_TESTS"))
DEATHS = 100 if IS_LONG else 2
WORKERS = max(1, len(os.sched_getaffinity(0)) // 4) if IS_LONG else 1  # of three to five ranks each
ENDLESS = 10**6  # steps, in cases whose time has no end: runs end some time after the last death
CHOSEN = [CASES[n] for n in (2, 3, 7, 9, 11, 14)] if IS_LONG else [CASES[3]]
# Often, so that deaths meet every moment of saving; nothing in the run's directory.
LEVELS = ["checkpoint.local.every=3", "checkpoint.parity.every=6", "checkpoint.parity.lost=2",
          "checkpoint.background=true", "checkpoint.at_end=false", "run.threads=1"]
OUTPUTS = ["output.series.every=10", "output.snapshots.every=100"]
PATIENCE = 30  # seconds, until the others have noticed
MARK = "GOBAN_JOB_OF_A_TEST"  # in the environment of all its processes


def command(launcher, ranks, case, options, folder, nodes):
    return [launcher, "-n", str(ranks), GOBAN, "run", str(SOURCE / "cases" / f"{case}.toml"),
            *options, *OUTPUTS, *LEVELS, f"checkpoint.local.folder={nodes}/{{rank}}", "--out", str(folder),
            "--restart"]


def start(words):
    mark = str(uuid.uuid4())
    job = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           env={**os.environ, **ENVIRONMENT, MARK: mark},
                           start_new_session=True)
    job.mark = f"{MARK}={mark}".encode()
    return job


def processes_of(job):
    """Those that have not ended, in whatever session Hydra puts them, and whether each is a rank."""
    found = {}
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and job.mark in (process / "environ").read_bytes().split(b"\0"):
                command = (process / "cmdline").read_bytes().split(b"\0")
                if command != [b""]:
                    found[int(process.name)] = command[0] == GOBAN.encode()
        except OSError:
            pass
    return found


def kill(job, chance):
    """All of its processes at once, as when the power fails, or one, which the others notice."""
    whom = chance.choice(["all", "a rank", "the launcher"])
    ranks = [pid for pid, is_rank in processes_of(job).items() if is_rank]
    if whom == "a rank" and ranks:
        os.kill(chance.choice(ranks), 9)
    elif whom == "the launcher":
        job.kill()
    else:
        for pid in [job.pid, *processes_of(job)]:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
    deadline = time.monotonic() + PATIENCE
    job.communicate(timeout=PATIENCE)
    while processes_of(job):
        assert time.monotonic() < deadline, f"{whom} was killed, and these go on: {processes_of(job)}"
        time.sleep(0.01)


def lose_nodes(nodes, chance):
    """Two that parity covers, of those of the last run."""
    there = sorted(nodes.iterdir()) if nodes.exists() else []
    for node in chance.sample(there, min(2, len(there))):
        shutil.rmtree(node)


def newest(nodes):
    """The last step that is committed."""
    return max((int(path.parent.name) for path in nodes.glob("*/*/[0-9]*/manifest.json")
                if path.parent.name.isdigit()), default=0)


def with_parity(nodes):
    """Steps of which a node has a manifest that names parity."""
    found = set()
    for manifest in nodes.glob("*/*/[0-9]*/manifest.json"):
        try:
            if json.loads(manifest.read_text()).get("parity"):
                found.add(manifest.parent.name)
        except (OSError, ValueError):  # it has made room, or is not that of a version with parity
            pass
    return found


def is_enough(deaths):
    return deaths == DEATHS


def run_with_deaths(launcher, case, options, folder, nodes, chance):
    """Dies again and again after it has saved with parity what it did not have before, then ends;
    returns the numbers of deaths and of steps."""
    deaths = 0
    while True:
        is_last = is_enough(deaths)
        steps = newest(nodes) + 50 if is_last else ENDLESS
        before = with_parity(nodes)
        process = start(command(launcher, chance.choice([3, 4, 5]), case,
                                [*options, f"time.steps={steps}"], folder, nodes))
        while not is_last and process.poll() is None and not with_parity(nodes) - before:
            time.sleep(0.01)
        try:
            said, _ = process.communicate(timeout=200 if is_last else chance.uniform(0, 0.3))
        except subprocess.TimeoutExpired:
            if is_last:
                raise
            kill(process, chance)
            deaths += 1
            lose_nodes(nodes, chance)
            continue
        if process.returncode != 0 or not is_last:
            sys.exit(f"{' '.join(process.args)}\nended with {process.returncode}\n{said}")
        assert "restarted from" in said, said
        return deaths, steps


def files_in(folder):
    return {name: content for name, content in contents(folder).items() if name[0] != "."}


def try_case(mpi, launcher, case, options, seed):
    with tempfile.TemporaryDirectory() as root:
        root = Path(root)
        options = [*options, "time.end=1e9"]
        deaths, steps = run_with_deaths(launcher, case, options, root / "parts", root / "nodes",
                                        random.Random(seed))
        expected, _ = run(root / "whole", None, 1, case, *options, f"time.steps={steps}", *OUTPUTS,
                          patience=1800)
        found = json.loads((root / "parts/summary.json").read_text())
        where = f"{case} under {mpi}, {steps} steps, seed {seed}"
        assert found["checksum"] == expected["checksum"], where
        assert files_in(root / "parts") == files_in(root / "whole"), where
        print(f"{deaths} deaths: {where}", flush=True)


def main():
    wanted = [(mpi, launcher, *one) for mpi, launcher in launchers() for one in CHOSEN
              if all(word == mpi or one[0].startswith(word) for word in sys.argv[1:])]
    if not wanted:
        print("no MPI here")
        sys.exit(77)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        seeds = random.sample(range(1 << 30), len(wanted))
        jobs = [pool.submit(try_case, *one, seed) for one, seed in zip(wanted, seeds)]
        for job in jobs:
            job.result()


if __name__ == "__main__":
    main()
