#!/usr/bin/env python3
"""Signals and deaths at any moment of `goban run`: before the run has begun, after it has finished,
twice, and those that nobody can hear; at random moments, to one process, a rank, all ranks or mpirun.
GOBAN_LONG_TESTS=1 sends 500 of these."""

import concurrent.futures
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from mpi_runs_test import ENVIRONMENT, GOBAN, launchers

CASE = str(Path(os.environ["GOBAN_SOURCE"]) / "cases/heat/hotspot.toml")
SMALL = ["grid.spacing=1 mm", "time.dt=1 us", "run.threads=1", "time.end=10"]
PATIENCE = 120  # seconds, on machines with much else to do
IS_LONG = bool(os.environ.get("GOBAN_LONG_TESTS"))
RUNS = 5 if IS_LONG else 1  # beside each other
SIGNALS = 500 // RUNS if IS_LONG else 7


def start(folder, *words, cells="16,16,40", launcher=()):
    words = [*SMALL, f"grid.cells={cells}", *words]
    return subprocess.Popen([*launcher, GOBAN, "run", CASE, "--out", "out", *words], cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, **ENVIRONMENT})


def wait_until(holds, job):
    """Whether it comes to hold while the process lives."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "nothing happens"
        if job.poll() is not None:
            return holds()
        time.sleep(0.0005)
    return True


def hears(job, number):
    """Whether a handler for it is installed."""
    caught = Path(f"/proc/{job.pid}/status").read_text().split("SigCgt:")[1].split()[0]
    return bool(int(caught, 16) & 1 << (number - 1))


def status(folder):
    try:
        return (folder / "out/STATUS").read_text()
    except FileNotFoundError:
        return ""


def end(job):
    said, _ = job.communicate(timeout=PATIENCE)
    return said, job.returncode


def try_before_the_run(folder):
    for number in [signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP, signal.SIGINT]:
        job = start(folder, "time.steps=3")

        def is_ready():
            has_begun = (folder / "out").exists()
            is_heard = hears(job, number)
            assert is_heard or not has_begun, "signals are heard too late"
            return is_heard

        assert wait_until(is_ready, job)
        job.send_signal(number)
        said, code = end(job)
        assert code == (0 if number == signal.SIGUSR1 else 75), (number, code, said)
        shutil.rmtree(folder / "out", ignore_errors=True)


def try_after_the_run(folder):
    for _ in range(10):
        job = start(folder, "time.steps=3", "--overwrite")
        wait_until(lambda: status(folder).startswith("running"), job)
        wait_until(lambda: status(folder).startswith("finished"), job)
        while job.poll() is None:
            for number in [signal.SIGTERM, signal.SIGUSR1]:
                job.send_signal(number)
        said, code = end(job)
        assert code == 0, (code, said)


def try_two_interrupts(folder):
    shutil.rmtree(folder / "out", ignore_errors=True)
    job = start(folder, "--overwrite", "checkpoint.every=5", cells="128,128,128")
    assert wait_until(lambda: (folder / "out/chk/0000010").exists(), job)
    job.send_signal(signal.SIGINT)
    time.sleep(0.0005)  # or the two are one signal
    job.send_signal(signal.SIGINT)
    said, code = end(job)
    # Where the first of them has been obeyed before the second came, that is too late.
    assert code in (130, 75), (code, said)
    assert "--restart" in said, said
    assert status(folder).startswith("stopped: SIGINT"), status(folder)
    left = [path for path in (folder / "out").rglob("*.partial")]
    assert not left, left
    return code == 130


def try_death(folder):
    shutil.rmtree(folder / "out", ignore_errors=True)
    job = start(folder, "--overwrite", "checkpoint.every=50")
    assert wait_until(lambda: (folder / "out/chk/0000100").exists(), job)
    job.kill()
    end(job)
    assert status(folder).startswith(f"running\npid {job.pid} on "), status(folder)
    listed = subprocess.run([GOBAN, "checkpoint", "list", "out"], cwd=folder, capture_output=True,
                            text=True, check=True)
    assert f"the run in out has died (pid {job.pid} on " in listed.stderr, listed
    job = start(folder, "--restart")
    assert wait_until(lambda: status(folder).startswith(f"running\npid {job.pid} "), job)
    job.send_signal(signal.SIGTERM)
    said, code = end(job)
    assert code == 75 and "the run in out has died" in said and "restarted from" in said, said
    assert "SIGTERM: checkpoint of step" in said and said.endswith("go on with --restart\n"), said


def newest(folder):
    return max((int(path.name) for path in (folder / "out/chk").glob("[0-9]*") if path.name.isdigit()),
               default=-1)


def ranks_of(job):
    """Itself, or the processes of goban that it has started."""
    found, look = [], [Path(f"/proc/{job.pid}")]
    while look:
        process = look.pop()
        try:
            if (process / "cmdline").read_bytes().split(b"\0")[0] == GOBAN.encode():
                found.append(int(process.name))
            for children in process.glob("task/*/children"):
                look += [Path(f"/proc/{pid}") for pid in children.read_text().split()]
        except OSError:  # it has ended
            pass
    return found


def is_running(folder, job):
    """STATUS is of one of its ranks, not of a run that was killed before."""
    words = status(folder).split()
    return words[:2] == ["running", "pid"] and int(words[2]) in ranks_of(job)


def try_at_random(folder, launcher, whom, chance):
    """Stops, and has saved what it goes on from; SIGUSR1 saves and goes on."""
    first = before = newest(folder)
    job = start(folder, "--restart", "checkpoint.every=1000000", launcher=launcher)
    assert wait_until(lambda: is_running(folder, job), job), end(job)
    ranks = ranks_of(job)
    pids = {"all": ranks, "one": [chance.choice(ranks)], "mpirun": [job.pid]}[whom]
    time.sleep(chance.uniform(0, 0.5))
    number = chance.choice([signal.SIGTERM, signal.SIGINT, signal.SIGXCPU, signal.SIGUSR1])
    if whom == "mpirun":  # what it sends on
        number = chance.choice([signal.SIGTERM, signal.SIGUSR1])
    send = lambda signal_number: [os.kill(pid, signal_number) for pid in pids]
    send(number)
    if number == signal.SIGUSR1:
        deadline = time.monotonic() + PATIENCE
        while newest(folder) <= before:  # the first may meet a step that is saved already
            assert job.poll() is None and time.monotonic() < deadline, end(job)
            time.sleep(0.2)
            send(number)
        before = newest(folder)
        number = signal.SIGTERM
        send(number)
    said, code = end(job)
    # What mpirun makes of the exit code of ranks that it has told to end is its own: Hydra's is 0.
    assert code == 75 or whom == "mpirun", (launcher, whom, number, code, said)
    assert newest(folder) >= max(before, 0), (launcher, whom, number, said)
    assert first < 0 or "restarted from" in said, said


def try_many_at_random(folder, seed):
    folder.mkdir()
    chance = random.Random(seed)
    ways = [((), "one")]
    for _, launcher in launchers():
        ways += [((launcher, "-n", "3"), whom) for whom in ("one", "all", "mpirun")]
    for number in range(SIGNALS):
        launcher, whom = ways[number % len(ways)]
        try:
            try_at_random(folder, launcher, whom, chance)
        except BaseException as error:
            print(f"signal {number} to {whom} of {launcher}, seed {seed}: {error!r:.4000}", flush=True)
            raise
    done = subprocess.run([GOBAN, "checkpoint", "verify", "out"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done
    print(f"{SIGNALS} signals at random, {len(ways)} ways, step {newest(folder)}",
          flush=True)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        try_before_the_run(place)
        try_after_the_run(place)
        assert any(try_two_interrupts(place) for _ in range(20)), "no second interrupt was in time"
        try_death(place)
        shutil.rmtree(place / "out")
        with concurrent.futures.ThreadPoolExecutor(RUNS) as pool:
            seeds = random.sample(range(1 << 30), RUNS)
            list(pool.map(try_many_at_random, [place / str(seed) for seed in seeds], seeds))


if __name__ == "__main__":
    main()
