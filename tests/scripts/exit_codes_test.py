#!/usr/bin/env python3
"""Every exit code that `goban --help` lists is provoked, with its one line."""

import os
import re
import resource
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from mpi_runs_test import ENVIRONMENT, GOBAN, SOURCE, launchers, pid_of_rank

CASE = str(SOURCE / "cases/heat/hotspot.toml")
SMALL = ["grid.cells=[16,16,40]", "grid.spacing=1 mm", "time.dt=1 us", "run.threads=1"]
PATIENCE = 120  # seconds, on machines with much else to do


def start(folder, *words, launcher=(), **more):
    return subprocess.Popen([*launcher, GOBAN, "run", CASE, *SMALL, "--out", str(folder), *words],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, **ENVIRONMENT}, **more)


def end(job):
    """Exit code and all it said."""
    said, _ = job.communicate(timeout=PATIENCE)
    return job.returncode, said


def run(folder, *words, **more):
    return end(start(folder, *words, **more))


def wait_until_there(path, job):
    deadline = time.monotonic() + PATIENCE
    while not path.exists():
        assert job.poll() is None and time.monotonic() < deadline, f"no {path}"
        time.sleep(0.001)


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


def without_checkpoints(folder):
    assert run(folder, "time.steps=30", "checkpoint.every=10")[0] == 0
    for manifest in folder.glob("chk/*/manifest.json"):
        manifest.write_text(manifest.read_text().replace("heat", "cold"))
    return run(folder, "time.steps=60", "--restart")


def interrupted_twice(folder):
    job = start(folder, "time.end=10", "checkpoint.every=5", "grid.cells=128")
    wait_until_there(folder / "chk/0000010", job)
    for _ in range(2):
        job.send_signal(signal.SIGINT)
        time.sleep(0.0005)  # or the two are one signal
    return end(job)


def told_to_stop(folder):
    job = start(folder, "time.end=10", "checkpoint.every=50")
    wait_until_there(folder / "chk/0000100", job)
    job.send_signal(signal.SIGTERM)
    return end(job)


def loses_a_peer(folder):
    """One that gives no sign any more, under Open MPI; Hydra's exit code may be any."""
    for mpi, launcher in launchers():
        if mpi != "openmpi":
            continue
        os.environ["GOBAN_WATCH"] = "2,3"
        job = start(folder, "time.end=10", "checkpoint.every=50", launcher=[launcher, "-n", "3"])
        wait_until_there(folder / "chk/0000100", job)
        lost = pid_of_rank(2, folder)
        os.kill(lost, signal.SIGSTOP)
        return end(job)
    return None


PROVOKED = {
    0: (lambda folder: run(folder, "time.steps=3"), "ended by"),
    2: (lambda folder: run(folder, "time.steps=3", 'run.conserved=["mean of temprature"]'),
        "unknown number mean of temprature .*; did you mean mean of temperature?"),
    3: (lambda folder: run(folder, "grid.cells=[100000,100000,1000]", "time.steps=3"),
        r"goban: .*memory"),
    4: (lambda folder: run(folder, "time.steps=30", "checkpoint.every=10",
                           preexec_fn=small_files), r"goban: cannot write .*File too large"),
    5: (lambda folder: run(folder, "time.steps=30", "initial.0.value=1.7e308", "run.nan_check=1"),
        r"goban: field 'temperature' holds NaN or infinity \(step \d+, cell "),
    6: (loses_a_peer, r"rank 2 .* has given no sign for 2 s"),
    7: (without_checkpoints, r"goban: .*checkpoint"),
    8: (lambda folder: run(folder, "time.steps=3000", "output.series.every=10",
                           'run.conserved=["mean of temperature"]', "run.conserved_within=1e-6"),
        r"goban: 'mean of temperature' of series 'series' is not conserved \(step \d+: "),
    75: (told_to_stop, r"SIGTERM: checkpoint of step \d+ saved, go on with --restart"),
    130: (interrupted_twice, r"SIGINT, twice: quit at once, go on from step \d+ with --restart"),
}


def documented():
    text = subprocess.run([GOBAN, "--help"], capture_output=True, text=True, check=True).stdout
    return {int(code) for code in
            re.findall(r"(?:^|   ?)(\d+) [a-z]", text[text.index("Exit codes:"):], re.M)}


def refuse_another_library(folder):
    """What happens where LD_LIBRARY_PATH has the library of another goban."""
    source, library = folder / "another.c", folder / "libanother.so"
    source.write_text('const char* _ZN5goban14interface_hashEv(void) { return "another"; }\n')
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
    done = subprocess.run([GOBAN, "apps"], capture_output=True, text=True,
                          env={**os.environ, "LD_PRELOAD": str(library)})
    assert done.returncode == 3 and not done.stdout, done
    assert "(it was built with the headers of another goban); see LD_LIBRARY_PATH" in done.stderr, done


def main():
    with tempfile.TemporaryDirectory() as root:
        refuse_another_library(Path(root))
    assert documented() == set(PROVOKED), (documented(), set(PROVOKED))
    for code, (provoke, words) in PROVOKED.items():
        for attempt in range(5):
            with tempfile.TemporaryDirectory() as root:
                found = provoke(Path(root) / "out")
            # Where the first of two signals has been obeyed before the second came.
            if code != 130 or found[0] != 75:
                break
        if found is None:
            print(f"{code}: not tried, there is no Open MPI here")
            continue
        assert found[0] == code, (code, found)
        line = re.search(rf"^.*(?:{words}).*$", found[1], re.M)
        assert line, (code, found)
        print(f"{code}: {line[0]}")


if __name__ == "__main__":
    main()
