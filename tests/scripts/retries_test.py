#!/usr/bin/env python3
"""`goban run --retries` starts a run again that is killed: its result is that of one that nobody
killed; one that is told to stop stops."""

import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

GOBAN = os.environ["GOBAN"]
CASE = str(Path(os.environ["GOBAN_SOURCE"]) / "cases/heat/hotspot.toml")
SMALL = ["grid.cells=[16,16,40]", "grid.spacing=1 mm", "time.dt=1 us", "run.threads=1",
         "checkpoint.every=50"]
PATIENCE = 120  # seconds, on machines with much else to do


def command(*words):
    return [GOBAN, "run", CASE, *SMALL, *words]


def child_of(job):
    for path in Path("/proc").iterdir():
        try:
            # The name in parentheses may have spaces.
            if path.name.isdigit() and int((path / "stat").read_text().rpartition(")")[2].split()[1]) == job.pid:
                return int(path.name)
        except OSError:
            pass
    return None


def wait_until(holds, job):
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert job.poll() is None, job.communicate()[0]
        assert time.monotonic() < deadline, "nothing happens"
        time.sleep(0.001)


def main():
    with tempfile.TemporaryDirectory() as root:
        root = Path(root)
        subprocess.run(command("time.steps=3000", "--out", str(root / "whole")), check=True,
                       capture_output=True)
        out = root / "parts"
        saved = lambda: {path.name for path in (out / "chk").glob("[0-9]*") if path.name.isdigit()}
        job = subprocess.Popen(command("time.steps=3000", "--out", str(out), "--retries", "5"),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        kills = 0
        for _ in range(2):
            before = saved()
            try:
                wait_until(lambda: saved() - before and child_of(job), job)
            except AssertionError:  # it was faster
                break
            child = child_of(job)
            if child:
                os.kill(child, signal.SIGKILL)
                kills += 1
                wait_until(lambda: child_of(job) != child, job)
        said, _ = job.communicate(timeout=PATIENCE)
        assert job.returncode == 0, said
        assert kills == 0 or "the run has died (SIGKILL), it is started again in" in said, said
        assert kills > 0, "nothing was killed: the test shows nothing"
        sums = [json.loads((folder / "summary.json").read_text())["checksum"]
                for folder in (root / "whole", out)]
        assert sums[0] == sums[1], sums

        out = root / "stopped"
        job = subprocess.Popen(command("time.end=10", "--out", str(out), "--retries", "5"),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wait_until(saved, job)
        job.send_signal(signal.SIGTERM)
        said, _ = job.communicate(timeout=PATIENCE)
        assert job.returncode == 75, said
        print(f"{kills} kills")


if __name__ == "__main__":
    main()
