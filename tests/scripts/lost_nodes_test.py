#!/usr/bin/env python3
"""Runs under every MPI that save on nodes in the background, with parity, are killed at random
moments; each time a node or two lose all they had, and other numbers of ranks go on: in the end the
checksums are those of a run that nobody killed. GOBAN_LONG_TESTS=1 takes every application, often.

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

from mpi_runs_test import CASES, ENVIRONMENT, GOBAN, SOURCE, launchers, run

IS_LONG = bool(os.environ.get("GOBAN_LONG_TESTS"))
DEATHS = 100 if IS_LONG else 2
CHOSEN = [CASES[2], CASES[3], CASES[7], CASES[9], CASES[11]] if IS_LONG else [CASES[3]]
# Often, so that deaths meet every moment of saving; nothing in the run's directory.
LEVELS = ["checkpoint.local.every=3", "checkpoint.parity.every=6", "checkpoint.parity.lost=2",
          "checkpoint.background=true", "checkpoint.at_end=false"]


def command(launcher, ranks, case, options, folder, nodes):
    return [launcher, "-n", str(ranks), GOBAN, "run", str(SOURCE / "cases" / f"{case}.toml"),
            *options, *LEVELS, f"checkpoint.local.folder={nodes}/{{rank}}", "--out", str(folder),
            "--restart"]


def start(words):
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, **ENVIRONMENT}, start_new_session=True)


def kill(process):
    """All of its processes at once, as when the power fails."""
    os.killpg(process.pid, 9)
    for child in Path("/proc").iterdir():
        try:
            if child.name.isdigit() and os.getsid(int(child.name)) == process.pid:
                os.kill(int(child.name), 9)
        except OSError:
            pass
    process.wait()


def lose_nodes(nodes):
    """Two that parity covers, of those of the last run."""
    there = sorted(nodes.iterdir()) if nodes.exists() else []
    for node in random.sample(there, min(2, len(there))):
        shutil.rmtree(node)


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
    """How often it died after it had saved with parity what it did not have before."""
    deaths = 0
    while True:
        ranks = random.choice([3, 4, 5])
        before = with_parity(nodes)
        process = start(command(launcher, ranks, case, options, folder, nodes))
        while deaths < DEATHS and process.poll() is None and not with_parity(nodes) - before:
            time.sleep(0.01)
        try:
            said, _ = process.communicate(timeout=random.uniform(0, 0.3) if deaths < DEATHS else 200)
        except subprocess.TimeoutExpired:
            kill(process)
            deaths += 1
            lose_nodes(nodes)
            continue
        if process.returncode != 0:
            sys.exit(f"{' '.join(process.args)}\nended with {process.returncode}\n{said}")
        assert deaths == 0 or "restarted from" in said, said
        return deaths


def main():
    seed = random.randrange(1 << 30)
    random.seed(seed)
    tried = 0
    for mpi, launcher in launchers():
        for case, options in CHOSEN:
            with tempfile.TemporaryDirectory() as root:
                root = Path(root)
                options = [*options, "time.steps=400"]
                expected, _ = run(root / "whole", None, 1, case, *options)
                deaths = run_with_deaths(launcher, case, options, root / "parts", root / "nodes")
                assert deaths > 0, f"{case} ended before anything was killed: the test shows nothing"
                found = json.loads((root / "parts/summary.json").read_text())
                assert found["checksum"] == expected["checksum"], f"{case} under {mpi}, seed {seed}"
                print(f"{mpi}: {case}: {deaths} deaths, seed {seed}")
                tried += 1
    if tried == 0:
        print("no MPI here")
        sys.exit(77)


if __name__ == "__main__":
    main()
