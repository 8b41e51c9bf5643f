#!/usr/bin/env python3
"""A run that saves several times a second and is killed every second or so, again and again: it goes
on from what it had committed, its folder does not grow, and in the end its checksum is that of a run
that nobody killed. GOBAN_LONG_TESTS=1 takes a thousand restarts, of several runs beside each other."""

import concurrent.futures
import json
import os
import random
import re
import subprocess
import tempfile
import time
from pathlib import Path

GOBAN = os.environ["GOBAN"]
CASE = str(Path(os.environ["GOBAN_SOURCE"]) / "cases/heat/hotspot.toml")
SMALL = ["grid.cells=[24,24,40]", "grid.spacing=1 mm", "time.dt=1 us", "time.end=1e9 s",
         "run.threads=1",
         "checkpoint.every_wall=0.1 s", "output.series.every=1000"]
IS_LONG = bool(os.environ.get("GOBAN_LONG_TESTS"))
RUNS = 4 if IS_LONG else 1
KILLS = 1000 // RUNS if IS_LONG else 5
PATIENCE = 120  # seconds, on machines with much else to do


def start(folder, steps):
    return subprocess.Popen([GOBAN, "run", CASE, *SMALL, f"time.steps={steps}", "--out", str(folder),
                             "--restart"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def saved(folder):
    """Steps that are committed."""
    return sorted(int(path.name) for path in (folder / "chk").glob("[0-9]*") if path.name.isdigit())


def beginning(folder):
    """The step that the run goes on from."""
    found = re.search(r"restarted from step: (\d+)", (folder / "run.toml").read_text())
    return int(found[1]) if found else 0


def bytes_in(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def wait_for_a_save(folder, job, before):
    deadline = time.monotonic() + PATIENCE
    while saved(folder)[-1:] == before:
        assert job.poll() is None, job.communicate()[0]
        assert time.monotonic() < deadline, "nothing is saved"
        time.sleep(0.005)


def soak(seed):
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as root:
        folder, whole = Path(root) / "parts", Path(root) / "whole"
        most = 0
        for kill in range(KILLS):
            before = saved(folder)[-1:]
            job = start(folder, 10**12)
            wait_for_a_save(folder, job, before)
            assert beginning(folder) >= max(before, default=0), (kill, seed)
            time.sleep(chance.uniform(0, 1))
            job.kill()
            job.communicate()
            assert saved(folder)[-1:] > before, (kill, seed)
            size = bytes_in(folder / "chk")
            if kill < 3:
                most = max(most, size)
            # Two are kept, one more is being saved, and what was interrupted before makes room.
            assert size <= 3 * most, (kill, seed, size, most)
        last = saved(folder)[-1] + 1000
        for one in (folder, whole):
            done = start(one, last)
            said, _ = done.communicate()
            assert done.returncode == 0, said
        sums = [json.loads((one / "summary.json").read_text())["checksum"] for one in (folder, whole)]
        assert sums[0] == sums[1], (sums, seed)
        rows = [next(one.glob("*_series.csv")).read_text() for one in (folder, whole)]
        assert rows[0] == rows[1], seed
        print(f"{KILLS} kills, {last} steps, seed {seed}", flush=True)


def main():
    with concurrent.futures.ThreadPoolExecutor(RUNS) as pool:
        list(pool.map(soak, random.sample(range(1 << 30), RUNS)))


if __name__ == "__main__":
    main()
