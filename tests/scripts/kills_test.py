#!/usr/bin/env python3
"""Cases that are killed at random moments, again and again, and started again with --restart: in the
end their files are those of a run that nobody killed. GOBAN_LONG_TESTS=1 takes every case, often."""

import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mpi_runs_test import CASES, GOBAN, SOURCE

IS_LONG = bool(os.environ.get("GOBAN_LONG_TESTS"))
ROUNDS = 8 if IS_LONG else 1
WORKERS = len(os.sched_getaffinity(0)) if IS_LONG else 1
CHOSEN = CASES if IS_LONG else [CASES[0], CASES[3], CASES[11]]
OUTPUTS = ["checkpoint.every=3", "output.series.every=2", "output.snapshots.every=4"]
FORMATS = {"seismic": ["output.seismograms.formats=[\"csv\", \"sac\", \"segy\"]"]}


def command(case, options, folder):
    more = OUTPUTS + FORMATS.get(case.split("/")[0], [])
    return [GOBAN, "run", str(SOURCE / "cases" / f"{case}.toml"), *options, *more, "--out",
            str(folder), "--restart"]


def values_in(snapshot):
    """Bytes of all that a snapshot holds but the case, whose words are those of the command line."""
    import h5py
    found = {}

    def add(name, entry):
        if isinstance(entry, h5py.Dataset) and name != "goban/config":
            found[name] = (entry.shape, entry[()].tobytes())

    with h5py.File(snapshot, "r") as file:
        file.visititems(add)
    return found


def contents(folder):
    """Of all files but those that tell of the process."""
    return {path.name: values_in(path) if path.suffix == ".vtkhdf" else path.read_bytes()
            for path in sorted(folder.iterdir())
            if path.is_file() and path.name not in ("STATUS", "run.toml", "summary.json", ".lock",
                                                    ".failures")}


def checksums(folder):
    return json.loads((folder / "summary.json").read_text())["checksum"]


def fail(folder, process, said):
    sys.exit(f"{' '.join(process.args)}\nended with {process.returncode}\n{said}"
             f"STATUS {(folder / 'STATUS').read_text()}")


def run_to_its_end(case, options, folder):
    started = time.monotonic()
    done = subprocess.run(command(case, options, folder), capture_output=True, text=True)
    if done.returncode != 0:
        fail(folder, done, done.stdout + done.stderr)
    return time.monotonic() - started


def kill_until_done(case, options, folder, seconds, chance):
    """How often it was killed before it came to its end."""
    kills = 0
    while True:
        process = subprocess.Popen(command(case, options, folder), stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        try:  # later and later, so that the end comes on a busy machine, too
            process.communicate(timeout=chance.uniform(0, seconds * (0.6 + 0.2 * kills)))
        except subprocess.TimeoutExpired:
            process.kill()
            kills += 1
        said, _ = process.communicate()
        if process.returncode == 0:
            return kills
        if process.returncode != -9:
            fail(folder, process, said)


def try_case(case, options, root, seed):
    """How often its runs were killed."""
    chance = random.Random(seed)
    seconds = run_to_its_end(case, options, root / "whole")
    expected = contents(root / "whole")
    kills = 0
    for attempt in range(ROUNDS):
        parts = root / str(attempt)
        kills += kill_until_done(case, options, parts, seconds, chance)
        found = contents(parts)
        where = f"{case} {options}, seed {seed}"
        assert found.keys() == expected.keys(), (where, found.keys() ^ expected.keys())
        for name, content in expected.items():
            assert found[name] == content, (where, name)
        assert checksums(parts) == checksums(root / "whole"), where
    return kills


def main():
    seed = random.randrange(1 << 30)
    with tempfile.TemporaryDirectory() as root, concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(try_case, *one, Path(root) / str(number), seed + number)
                for number, one in enumerate(CHOSEN)]
        kills = sum(job.result() for job in jobs)
    assert kills > 0, "nothing was killed: the test shows nothing"
    print(f"{kills} kills, seed {seed}")


if __name__ == "__main__":
    main()
