#!/usr/bin/env python3
"""Runs under every MPI that save on nodes in the background, with parity, are killed at random
moments, all ranks, one of them or the launcher; each time a node or two lose all they had, and other
numbers of ranks go on: in the end checksums and outputs are those of a run that nobody killed.
GOBAN_LONG_TESTS=1 takes every application, often.

Every rank is a node: its files lie in a folder of its own."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kills_test import contents
from mpi_runs_test import CASES, ENVIRONMENT, GOBAN, SOURCE, launchers, run

IS_LONG = bool(os.environ.get("GOBAN_LONG_TESTS"))
DEATHS = 100 if IS_LONG else 2
ENDLESS = 10**6  # steps, in cases whose time has no end: runs end some time after the last death
CHOSEN = [CASES[n] for n in (2, 3, 7, 9, 11, 14)] if IS_LONG else [CASES[3]]
# Often, so that deaths meet every moment of saving; nothing in the run's directory.
LEVELS = ["checkpoint.local.every=3", "checkpoint.parity.every=6", "checkpoint.parity.lost=2",
          "checkpoint.background=true", "checkpoint.at_end=false"]
OUTPUTS = ["output.series.every=10", "output.snapshots.every=100"]
PATIENCE = 30  # seconds, until the others have noticed


def command(launcher, ranks, case, options, folder, nodes):
    return [launcher, "-n", str(ranks), GOBAN, "run", str(SOURCE / "cases" / f"{case}.toml"),
            *options, *OUTPUTS, *LEVELS, f"checkpoint.local.folder={nodes}/{{rank}}", "--out", str(folder),
            "--restart"]


def start(words):
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, **ENVIRONMENT}, start_new_session=True)


def processes_of(job):
    """Those of its session that have not ended, and whether each is a rank."""
    found = {}
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and os.getsid(int(process.name)) == job.pid:
                command = (process / "cmdline").read_bytes().split(b"\0")
                if command != [b""]:
                    found[int(process.name)] = command[0] == GOBAN.encode()
        except OSError:
            pass
    return found


def kill(job):
    """All of its processes at once, as when the power fails, or one, which the others notice."""
    whom = random.choice(["all", "a rank", "the launcher"])
    ranks = [pid for pid, is_rank in processes_of(job).items() if is_rank]
    if whom == "a rank" and ranks:
        os.kill(random.choice(ranks), 9)
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


def lose_nodes(nodes):
    """Two that parity covers, of those of the last run."""
    there = sorted(nodes.iterdir()) if nodes.exists() else []
    for node in random.sample(there, min(2, len(there))):
        shutil.rmtree(node)


def newest(nodes):
    """The last step that is committed."""
    return max((int(path.parent.name) for path in nodes.glob("*/*/0*/manifest.json")
                if path.parent.name.isdigit()), default=0)


def with_parity(nodes):
    """Steps of which a node has a manifest that names parity."""
    found = set()
    for manifest in nodes.glob("*/*/0*/manifest.json"):
        try:
            if json.loads(manifest.read_text()).get("parity"):
                found.add(manifest.parent.name)
        except (OSError, ValueError):  # it has made room, or is not that of a version with parity
            pass
    return found


def run_with_deaths(launcher, case, options, folder, nodes):
    """Dies again and again after it has saved with parity what it did not have before, then ends;
    returns the number of steps."""
    deaths = 0
    while True:
        is_last = deaths == DEATHS
        steps = newest(nodes) + 50 if is_last else ENDLESS
        before = with_parity(nodes)
        process = start(command(launcher, random.choice([3, 4, 5]), case,
                                [*options, f"time.steps={steps}"], folder, nodes))
        while not is_last and process.poll() is None and not with_parity(nodes) - before:
            time.sleep(0.01)
        try:
            said, _ = process.communicate(timeout=200 if is_last else random.uniform(0, 0.3))
        except subprocess.TimeoutExpired:
            if is_last:
                raise
            kill(process)
            deaths += 1
            lose_nodes(nodes)
            continue
        if process.returncode != 0 or not is_last:
            sys.exit(f"{' '.join(process.args)}\nended with {process.returncode}\n{said}")
        assert "restarted from" in said, said
        return steps


def files_in(folder):
    return {name: content for name, content in contents(folder).items() if name[0] != "."}


def main():
    seed = random.randrange(1 << 30)
    random.seed(seed)
    print(f"seed {seed}", flush=True)
    tried = 0
    for mpi, launcher in launchers():
        for case, options in CHOSEN:
            with tempfile.TemporaryDirectory() as root:
                root = Path(root)
                options = [*options, "time.end=1e9"]
                steps = run_with_deaths(launcher, case, options, root / "parts", root / "nodes")
                expected, _ = run(root / "whole", None, 1, case, *options, f"time.steps={steps}", *OUTPUTS)
                found = json.loads((root / "parts/summary.json").read_text())
                where = f"{case} under {mpi}, {steps} steps"
                assert found["checksum"] == expected["checksum"], where
                assert files_in(root / "parts") == files_in(root / "whole"), where
                print(f"{DEATHS} deaths: {where}", flush=True)
                tried += 1
    if tried == 0:
        print("no MPI here")
        sys.exit(77)


if __name__ == "__main__":
    main()
