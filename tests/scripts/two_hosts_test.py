#!/usr/bin/env python3
"""Two network namespaces as two hosts, two ranks on each, Open MPI over TCP between them: the bits
of one process, files that both write, also where they do not share a directory, doctor's map of
both, and one line when a rank of the other host dies."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOBAN = os.environ["GOBAN"]
SOURCE = Path(os.environ["GOBAN_SOURCE"])
MODULE = Path(os.environ["GOBAN_BINARY_DIR"]) / "lib" / "goban" / "libgoban-mpi-openmpi.so"
HOSTS = {f"gb{os.getpid()}{letter}": f"10.77.31.{number}" for number, letter in ((1, "a"), (2, "b"))}
FIRST, SECOND = HOSTS
NETWORK = "10.77.31.0/24"
CASE = [str(SOURCE / "cases/heat/hotspot.toml"), "grid.cells=[37,29,23]", "checkpoint.every=12",
        "output.snapshots.every=12"]


def skip(why):
    print(why)
    sys.exit(77)


def command(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True)


def make_hosts():
    for host in HOSTS:
        command("ip", "netns", "add", host)
    command("ip", "link", "add", f"{FIRST}v", "netns", FIRST, "type", "veth",
            "peer", "name", f"{SECOND}v", "netns", SECOND)
    for host, address in HOSTS.items():
        on_host = ["ip", "-n", host]
        command(*on_host, "address", "add", f"{address}/24", "dev", f"{host}v")
        command(*on_host, "link", "set", f"{host}v", "up")
        command(*on_host, "link", "set", "lo", "up")


def remove_hosts():
    for host in HOSTS:
        subprocess.run(["ip", "netns", "del", host], capture_output=True)


def write_agent(folder):
    """What stands for ssh: runs a command on one of the hosts, which has a name of its own and a
    directory `apart` of its own."""
    agent = folder / "agent"
    apart = folder / "apart"
    apart.mkdir()
    cases = "".join(f"  {address}) host={host};;\n" for host, address in HOSTS.items())
    agent.write_text('#!/bin/sh\ncase "$1" in\n' + cases + 'esac\nshift\n'
                     'exec ip netns exec $host unshare --uts --mount sh -c "hostname $host; '
                     f'case $host in {SECOND}) mount -t tmpfs none {apart};; esac; $*"\n')
    agent.chmod(0o755)
    return agent


def mpirun(agent, *arguments):
    """As the first host would start it."""
    options = {"plm": "rsh", "plm_rsh_agent": agent, "btl": "tcp,self", "btl_tcp_if_include": NETWORK,
               "oob_tcp_if_include": NETWORK, "mpi_yield_when_idle": "1",
               "hwloc_base_binding_policy": "none", "rmaps_base_oversubscribe": "1"}
    settings = " ".join(f"OMPI_MCA_{key}={value}" for key, value in options.items())
    hosts = ",".join(f"{address}:2" for address in HOSTS.values())
    words = " ".join([f"env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 {settings}",
                      shutil.which("mpirun.openmpi"), "-n 4 --host", hosts, GOBAN,
                      *(f"'{word}'" for word in arguments)])
    return [str(agent), HOSTS[FIRST], words]


def run(words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def files_of(folder):
    """What a run leaves beside what tells of the process."""
    of_process = {"summary.json", "STATUS", "run.toml", "manifest.json"}
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and path.name not in of_process}


def ranks_of(folder):
    """Process numbers by rank."""
    found = {}
    for process in Path("/proc").iterdir():
        try:
            is_run = str(folder).encode() in (process / "cmdline").read_bytes()
            environment = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for variable in environment:
            if is_run and variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(variable.split(b"=")[1])] = int(process.name)
    return found


def lose_a_rank(agent, folder):
    words = mpirun(agent, "run", *CASE, "time.end=1000", "--out", str(folder))
    job = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not (folder / "hotspot_temperature_z.0000000.png").exists():
        assert time.monotonic() < deadline and job.poll() is None, "it does not run"
        time.sleep(0.1)
    ranks = ranks_of(folder)
    assert sorted(ranks) == [0, 1, 2, 3], ranks
    os.kill(ranks[3], signal.SIGKILL)
    start = time.monotonic()
    _, said = job.communicate(timeout=30)
    assert job.returncode != 0
    lines = [line for line in said.splitlines() if line.startswith("goban: error:")]
    assert len(lines) == 1 and f"rank 3 (host {SECOND}" in lines[0], said
    assert not ranks_of(folder)
    print(f"killed: all ended after {time.monotonic() - start:.1f} s, said: {lines[0]}")


def main():
    if os.geteuid() != 0:
        skip("only root may make network namespaces")
    if not all(shutil.which(program) for program in ("ip", "unshare", "mpirun.openmpi")):
        skip("ip, unshare or mpirun.openmpi is missing")
    if not MODULE.exists():
        skip("goban is built without Open MPI")
    with tempfile.TemporaryDirectory() as root:
        root = Path(root)
        try:
            make_hosts()
        except subprocess.CalledProcessError as error:
            remove_hosts()
            skip(f"no network namespaces here: {error.stderr.strip()}")
        try:
            agent = write_agent(root)
            case = ["run", *CASE, "time.steps=24", "--out"]
            run([GOBAN, *case, str(root / "alone")])
            run(mpirun(agent, *case, str(root / "both")))
            said = run(mpirun(agent, *case, str(root / "apart/run")))
            print(said)
            assert said.count("rank 0 writes for all") == 1, said
            files = files_of(root / "alone")
            assert any(path.suffix == ".bin" for path in files), files.keys()
            assert any(path.suffix in (".vtkhdf", ".npy") for path in files), files.keys()
            for other in ("both", "apart/run"):
                assert files_of(root / other) == files, other
            alone, both = (json.loads((root / name / "summary.json").read_text())
                           for name in ("alone", "both"))
            assert (both["ranks"], both["machines"]) == (4, 2), both
            assert both["checksum"] == alone["checksum"], both
            print("checksum of both hosts:", both["checksum"])
            said = run(mpirun(agent, "doctor"))
            print(said)
            for expected in ("4 on 2 machines", FIRST, SECOND, "host, between machines"):
                assert expected in said, said
            lose_a_rank(agent, root / "lost")
        finally:
            remove_hosts()


if __name__ == "__main__":
    main()
