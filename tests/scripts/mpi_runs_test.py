#!/usr/bin/env python3
"""Cases on the ranks of every MPI that is here: the same bits and the same files as in one process,
checkpoints that go on with another number of ranks, one voice."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOBAN = os.environ["GOBAN"]
SOURCE = Path(os.environ["GOBAN_SOURCE"])
MODULES = Path(os.environ["GOBAN_BINARY_DIR"]) / "lib" / "goban"
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
}
# Prime numbers of cells, every application, several stages, cuts of all axes.
CASES = [
    ("dendrite/competition", ["grid.cells=[67,43,1]", "time.steps=240", "tip.highest=0.2"]),
    ("dendrite/crystal", ["grid.cells=[29,31,23]", "time.steps=24"]),
    ("dendrite/pfhub3", ["grid.cells=[37,41,1]", "time.steps=240"]),
    ("heat/hotspot", ["grid.cells=[37,29,23]", "time.steps=24"]),
    ("heat/fins", ["grid.cells=[29,23,17]"]),
    ("heat/spheres", ["grid.cells=[19,17,13]"]),
    ("lbm/cavity", ["grid.cells=[37,31,1]", "time.steps=24"]),
    ("lbm/taylor_green", ["grid.cells=[24,17,19]", "time.steps=24"]),
    ("lbm/taylor_green", ["grid.cells=[24,17,19]", "time.steps=24", "run.steps_per_exchange=2"]),
    ("life/soup", ["grid.cells=[53,37,131]", "time.steps=24"]),
    ("life/soup", ["grid.cells=[53,37,131]", "time.steps=24", "run.overlap=two-kernel"]),
    ("seismic/basin", ["grid.cells=[37,31,29]", "grid.spacing=600", "time.steps=24"]),
    ("seismic/basin", ["grid.cells=[37,31,29]", "grid.spacing=600", "time.steps=24",
                       "output.seismograms.every=4"]),
    ("flow/cylinders", ["grid.cells=[80,44,1]", "grid.spacing=0.25", "time.steps=24"]),
    ("flow/vortices", ["grid.cells=[26,22,24]", "time.steps=12"]),
]


def launchers():
    for mpi in ("openmpi", "mpich"):
        program = shutil.which(f"mpirun.{mpi}")
        if program and (MODULES / f"libgoban-mpi-{mpi}.so").exists():
            yield mpi, program


def run(folder, launcher, ranks, case, *options, patience=120):
    """Summary of a run, and what it said."""
    command = [GOBAN, "run", str(SOURCE / "cases" / f"{case}.toml"), *options, "--out", str(folder)]
    if launcher:
        command = [launcher, "-n", str(ranks), *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience,
                          env={**os.environ, **ENVIRONMENT})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads((folder / "summary.json").read_text()), done.stdout


def files_in(folder):
    """What may not depend on ranks: rows of series and pictures."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())
            if path.suffix in (".csv", ".png")}


def pid_of_rank(rank, folder):
    for process in Path("/proc").iterdir():
        try:
            is_run = str(folder).encode() in (process / "cmdline").read_bytes()
            environment = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if is_run and f"OMPI_COMM_WORLD_RANK={rank}".encode() in environment:
            return int(process.name)
    return None


def lose_a_rank(folder, launcher):
    job = subprocess.Popen([launcher, "-n", "3", GOBAN, "run", str(SOURCE / "cases/heat/hotspot.toml"),
                            "grid.cells=[37,29,23]", "time.end=1000", "--out", str(folder)],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                           env={**os.environ, **ENVIRONMENT})
    deadline = time.monotonic() + 30
    while not (folder / "hotspot_temperature_z.0000000.png").exists():
        assert time.monotonic() < deadline and job.poll() is None, "it does not run"
        time.sleep(0.1)
    os.kill(pid_of_rank(2, folder), signal.SIGKILL)
    _, said = job.communicate(timeout=30)
    assert job.returncode != 0
    assert said.count("goban: error: rank 2 ") == 1, said
    status = (folder / "STATUS").read_text()
    assert status.startswith("failed: rank 2 "), status


def say(launcher, ranks, *words):
    """What goban says on that many ranks, its errors and its exit code."""
    done = subprocess.run([launcher, "-n", str(ranks), GOBAN, *words], capture_output=True, text=True,
                          timeout=120, env={**os.environ, **ENVIRONMENT})
    return done.stdout, done.stderr, done.returncode


WAYS_CASE = ["grid.cells=[37,29,23]", "time.steps=24"]


def try_plans(folder, mpi, launcher, alone):
    """Every way of halos that can be forced, and those that cannot."""
    ways = [["--transport", "host"], ["--steps-per-exchange", "4"],
            ["--patches", "1,2,2"], ["--halo-precision", "full"]]
    for number, options in enumerate(ways):
        found, _ = run(folder / f"way_{number}", launcher, 4, "heat/hotspot", *WAYS_CASE, *options)
        assert found["checksum"] == alone["checksum"], (mpi, options)
        assert found["transports"]["peer"] == 0 and found["transports"]["host"] >= 3, found
        assert not found["results_depend_on_ranks"], found
        if "--patches" in options:
            assert found["patches"] == [1, 2, 2] and found["transports"]["host"] == 4, found
    found, _ = run(folder / "way_mpi", launcher, 4, "heat/hotspot", *WAYS_CASE, "--devices",
                   "emulated", "--transport", "mpi")
    assert found["checksum"] == alone["checksum"], (mpi, found)
    ways = found["transports"]
    assert ways["mpi"] >= 3 and ways["peer"] == ways["nccl"] == ways["host"] == 0, (mpi, found)
    rounded, said = run(folder / "rounded", launcher, 4, "heat/hotspot", *WAYS_CASE,
                        "--halo-precision", "half")
    assert rounded["halo_precision"] == "half" and rounded["results_depend_on_ranks"], rounded
    assert rounded["checksum"] != alone["checksum"], rounded
    assert said.count("results depend on the ranks") == 1, said
    for options, why in [(["--transport", "peer"], "(what computes is cpu, "),
                         (["--transport", "nccl"], "(what computes is cpu, "),
                         (["--transport", "mpi"], "(what computes is cpu, "),
                         (["--transport", "nccl", "--devices", "emulated"],
                          "(rank 0 has devices of process "),
                         (["--transport", "peer", "--halo-precision", "half"], "are not rounded"),
                         (["--transport", "pigeon"], "auto, peer, nccl, mpi, host")]:
        for _ in range(5):  # Hydra may end all before the line is out
            _, errors, code = say(launcher, 3, "run", str(SOURCE / "cases/heat/hotspot.toml"), *WAYS_CASE,
                                  *options, "--out", str(folder / "refused"))
            if errors or mpi == "openmpi":
                break
        assert code != 0 and errors.count(why) == 1, (mpi, options, errors)


def ask_doctor(mpi, launcher):
    said, _, code = say(launcher, 3, "doctor")
    assert code == 0, said
    named = {"openmpi": "Open MPI v", "mpich": "MPICH Version"}[mpi]
    assert len(re.findall(rf"^ranks +3 on 1 machine, {named}.*, thread level", said, re.M)) == 1, said
    assert len(re.findall(r"^ +\d +\d  +[\d.]+ us +[\d.]+ GB/s .* host$", said, re.M)) == 2, said
    assert said.count("copy bandwidth") == 1, said
    if os.cpu_count() < 3:
        assert re.search(r"3 ranks of .* share \d cores?: ", said), said


def main():
    found = list(launchers())
    if not found:
        print("no mpirun here, or no module for it")
        sys.exit(77)
    ranks_in_turn = [2, 3, 4, 6, 8]
    with tempfile.TemporaryDirectory() as root:
        root = Path(root)
        for number, (case, options) in enumerate(CASES):
            alone, _ = run(root / f"{number}_alone", None, 1, case, *options)
            for which, (mpi, launcher) in enumerate(found):
                ranks = ranks_in_turn[(number + which) % len(ranks_in_turn)]
                folder = root / f"{number}_{mpi}"
                together, said = run(folder, launcher, ranks, case, *options)
                where = f"{case} {options} on {ranks} ranks of {mpi}"
                assert together["ranks"] == ranks, where
                assert together["checksum"] == alone["checksum"], where
                assert together["results"] == alone["results"], where
                assert files_in(folder) == files_in(root / f"{number}_alone"), where
                assert len(re.findall(r"ended by", said)) == 1, where + said
        # A rank that dies is named, in the run's folder too. Hydra may end all before that.
        for mpi, launcher in found:
            if mpi == "openmpi":
                lose_a_rank(root / "lost", launcher)
        # What is not for several ranks says so, once.
        for mpi, launcher in found:
            done = subprocess.run([launcher, "-n", "2", GOBAN, "apps"], capture_output=True, text=True,
                                  timeout=60, env={**os.environ, **ENVIRONMENT})
            assert done.returncode != 0, mpi
            assert done.stderr.count("has started goban 2 times") == 1, done.stderr
        alone, _ = run(root / "ways_alone", None, 1, "heat/hotspot", *WAYS_CASE)
        for mpi, launcher in found:
            try_plans(root / f"ways_{mpi}", mpi, launcher, alone)
            ask_doctor(mpi, launcher)
        # A checkpoint of three ranks, continued by one and by five.
        options = ["grid.cells=[37,29,23]", "checkpoint.every=9"]
        whole, _ = run(root / "whole", None, 1, "heat/hotspot", *options, "time.steps=24")
        for mpi, launcher in found:
            for after in (1, 5):
                folder = root / f"parts_{mpi}_{after}"
                run(folder, launcher, 3, "heat/hotspot", *options, "time.steps=13")
                parts, _ = run(folder, launcher, after, "heat/hotspot", *options, "time.steps=24",
                               "--restart")
                assert parts["restarted_from"] in (9, 13), parts
                assert parts["checksum"] == whole["checksum"], (mpi, after)


if __name__ == "__main__":
    main()
