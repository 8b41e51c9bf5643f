#!/usr/bin/env python3
"""Measures the same steps in goban and in the libraries that people use instead, and writes a record.

usage: scripts/beside_peers.py [--device cpu|cuda] [--threads N] [--json RECORD]
           [--steps STEP,...] [--peers PEER,...] [--cells N] [--yask KERNEL COMMAND]...

The programs are benchmarks/peers/STEP/PEER.py, as users of the libraries would write them. Which peers
are not installed is said; NumPy's programs run if they are named. Each runs in processes of its own,
with caches that are empty for the first and as that left them for the second:

  first, second     seconds from the start of Python to the end of the first step, without those in
                    which initial values are made; second processes are run of some steps alone
  GLUP/s            steady: the median of five batches of steps
  lines             of the file: neither blank nor comment
  difference        of values after four steps from those of the first peer that ran (goban's, if
                    it is there), on 64 planes of the cube or more, as a share of the largest value

Without --device all devices are measured that are there; on CPUs only some of the steps, unless they
are named. --yask runs a program of YASK, three times in
turns with the kernel of `goban bench` that it is compared with (build/release/bin/goban-bench):

  scripts/beside_peers.py --threads 16 --yask heat25 'yask_kernel.exe -g 512 -bx 32 ...'

then alone, unless --steps names some.

The record is benchmarks/records/<date>-<machine>-peers.json, or RECORD, to which runs are added if it
is there and of this machine and commit. It is complete after each line that is printed, and
scripts/record_tables.py makes tables of it. Exit code 1 if something failed.
"""

import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from records.machine import machine_of, output_of

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "benchmarks/peers"
LONGEST = 120  # seconds, of a process
PACKAGES = {  # of each peer: what pip calls it, in the order in which peers run
    "goban": ("goban",), "numpy": ("numpy",), "numba": ("numba",), "jax": ("jax",),
    "torch": ("torch",), "triton": ("triton", "torch"), "cupy": ("cupy",), "numba_cuda": ("numba-cuda",),
    "warp": ("warp-lang",), "taichi": ("taichi",), "devito": ("devito",)}
MODULES = {"warp-lang": "warp", "numba-cuda": "numba.cuda"}
DEVICES = {"numpy": ["cpu"], "numba": ["cpu"], "devito": ["cpu"], "triton": ["cuda"], "cupy": ["cuda"],
           "numba_cuda": ["cuda"]}
SCALES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9}


def steps_known():
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("peers_steps", PEERS / "steps.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.STEPS


def lines_of(path):
    """Of the user's code."""
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in path.read_text().splitlines())


def environment_of(caches, device, options):
    """All that libraries keep goes to the folder."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep) + [str(ROOT / "build/release/lib/goban/python")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "HOME": caches,
            "PYTHONUSERBASE": os.environ.get("PYTHONUSERBASE", str(Path.home() / ".local")),
            "XDG_CACHE_HOME": f"{caches}/.cache", "TMPDIR": caches, "NUMBA_CACHE_DIR": f"{caches}/numba",
            "JAX_COMPILATION_CACHE_DIR": f"{caches}/jax", "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
            "OMP_NUM_THREADS": str(options.threads), "NUMBA_NUM_THREADS": str(options.threads),
            "TI_CPU_MAX_NUM_THREADS": str(options.threads), "GOBAN_THREADS": str(options.threads),
            "GOBAN_DEVICES": "cuda:0" if device == "cuda" else device}


def last_line(text):
    return next((line for line in reversed(text.splitlines()) if line.strip()), "no word").strip()


def process(asked, caches, options):
    """What benchmarks/peers/measure.py has measured, or a text that says why not."""
    out = Path(caches) / "measured.json"
    asked = {**asked, "out": str(out), "threads": options.threads, "seconds": options.seconds,
             "began": time.monotonic()}
    try:
        done = subprocess.run([sys.executable, PEERS / "measure.py", json.dumps(asked)], capture_output=True,
                              text=True, env=environment_of(caches, asked["device"], options), cwd=caches,
                              timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return f"took longer than {LONGEST} s"
    if done.returncode != 0 or not out.exists():
        return f"{last_line(done.stdout + done.stderr)} (exit code {done.returncode})"
    measured = json.loads(out.read_text())
    out.unlink()
    return measured


def version_of(peer):
    """Empty if what is imported was not installed."""
    package = PACKAGES[peer][0]
    for name in (package, *importlib.metadata.packages_distributions().get(package, [])):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return ""


def row_of(name, step, peer, device, folder, options):
    edge = options.cells or step.edge
    asked = {"step": name, "peer": peer, "device": device, "edge": edge,
             "reference": str(Path(folder) / f"{name}.npy")}
    with tempfile.TemporaryDirectory(dir=folder) as caches:
        first = process({**asked, "only_start": False}, caches, options)
        second = process({**asked, "only_start": True}, caches, options) if step.is_start else {}
    failed = next((one for one in (first, second) if isinstance(one, str)), None)
    if failed:
        return {"program": "beside-peers", "failed": True, "title": f"{peer}, {name}, {device}",
                "unreadable": failed}
    row = {"program": "beside-peers", "name": name, "peer": peer, "device": device,
           "version": version_of(peer), "cells": [edge] * 3, "threads": options.threads,
           "lines": lines_of(PEERS / name / f"{peer}.py"), "steps": first["steps"],
           "first_seconds": first["start_seconds"],
           "updates_per_second": first["steps"] * edge**3 / statistics.median(first["batch_seconds"]),
           "best_updates_per_second": first["steps"] * edge**3 / min(first["batch_seconds"])}
    row.update({key: first[key] for key in ("difference", "same_bits") if key in first})
    if second:
        row["second_seconds"] = second["start_seconds"]
    return row


def show(row):
    if row.get("failed"):
        print(f"{row['title']}: error: {row['unreadable']}", flush=True)
        return
    text = f"{row['name']:15} {row['device']:4} {row['peer']:10} {1e-9 * row['updates_per_second']:9.3f} GLUP/s"
    if "first_seconds" in row:
        text += f", first {row['first_seconds']:.2f} s"
    if "second_seconds" in row:
        text += f", second {row['second_seconds']:.2f} s"
    if "lines" in row:
        text += f", {row['lines']} lines"
    if "difference" in row:
        text += f", difference {row['difference']:.0e}" + (" (same bits)" if row["same_bits"] else "")
    print(text, flush=True)


def missing(peer, environment):
    """Its name, with the reason if that is not plain, or nothing; what is there is in memory afterwards."""
    for package in PACKAGES[peer]:
        done = subprocess.run([sys.executable, "-c", f"import {MODULES.get(package, package)}"],
                              capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            reason = last_line(done.stderr)
            return peer if reason.startswith("ModuleNotFoundError") else f"{peer} ({reason})"
    return None


def measure_device(device, steps, options, record, write):
    unsaid = [] if options.device else ["--device", device]
    run = {"command": shlex.join(["scripts/beside_peers.py", *unsaid, *sys.argv[1:]]), "rows": []}
    record["runs"].append(run)
    with tempfile.TemporaryDirectory() as folder:
        peers = [peer for peer in options.peers if device in DEVICES.get(peer, ["cpu", "cuda"])]
        absent = {peer: missing(peer, environment_of(folder, device, options)) for peer in peers}
        if any(absent.values()):
            run["note"] = "not there: " + ", ".join(filter(None, absent.values()))
            print(f"{device}: {run['note']}", flush=True)
        for name in options.steps or [name for name in steps if steps[name].on_cpu or device != "cpu"]:
            for peer in peers:
                if absent[peer] or not (PEERS / name / f"{peer}.py").exists():
                    continue
                run["rows"].append(row_of(name, steps[name], peer, device, folder, options))
                show(run["rows"][-1])
                write()
            (Path(folder) / f"{name}.npy").unlink(missing_ok=True)


def rate_of_goban_bench(kernel, options):
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "record.json"
        subprocess.run([options.bench, kernel, "--alone", "--rounds", "1", "--threads", str(options.threads),
                        "--json", str(found)], check=True, stdout=subprocess.DEVNULL)
        row = json.loads(found.read_text())[kernel]
        return row["updates_per_second"], row["cells"]


def rate_of_yask(command):
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    found = re.findall(r"mid-throughput \(num-points/sec\): *([\d.]+)([KMG]?)", done.stdout + done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"beside_peers: error: no rate in what `{command}` prints (exit code {done.returncode})")
    number, scale = found[-1]
    return float(number) * SCALES[scale]


def measure_yask(kernel, command, options, record, write):
    goban, yask = [], []
    for _ in range(3):
        rate, edge = rate_of_goban_bench(kernel, options)
        goban.append(rate)
        yask.append(rate_of_yask(command))
    rows = [{"program": "beside-peers", "name": kernel, "peer": peer, "device": "cpu", "cells": [edge] * 3,
             "threads": options.threads, "updates_per_second": statistics.median(rates),
             "best_updates_per_second": max(rates)} for peer, rates in (("goban", goban), ("yask", yask))]
    record["runs"].append({"command": command, "rows": rows})
    for row in rows:
        show(row)
    write()


def names(known, what):
    def parse(text):
        wanted = list(filter(None, text.split(",")))
        for name in wanted:
            if name not in known:
                raise argparse.ArgumentTypeError(f"'{name}' is no {what} (there are {', '.join(known)})")
        return [name for name in known if name in wanted]
    return parse


def parsed(steps):
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path, metavar="RECORD")
    parser.add_argument("--steps", type=names(list(steps), "step"))
    parser.add_argument("--peers", type=names(list(PACKAGES), "peer"),
                        default=[peer for peer in PACKAGES if peer != "numpy"])
    parser.add_argument("--cells", type=int, help="along each edge, for trials")
    parser.add_argument("--yask", nargs=2, action="append", default=[], metavar=("KERNEL", "COMMAND"))
    parser.add_argument("--bench", default=str(ROOT / "build/release/bin/goban-bench"))
    parser.add_argument("--seconds", type=float, default=0.2, help="of a batch")
    return parser.parse_args()


def path_for(now, word):
    stem, number = f"{now[:10]}-{word}-peers", 1
    path = ROOT / f"benchmarks/records/{stem}.json"
    while path.exists():
        number += 1
        path = path.with_name(f"{stem}-{number}.json")
    return path


def commit_of_sources():
    """Of the checkout, or else of the program that was built of it."""
    found = output_of("git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=7", "--exclude=*")
    built = re.search(r"\(([0-9a-f]{7,}(?:-dirty)?)\b", output_of(str(ROOT / "build/release/bin/goban"), "--version"))
    return found or (built[1] if built else "unknown")


def record_in(path, has_gpu):
    """That which is there, or a new one, and where it is to be written."""
    machine, word = machine_of("cuda" if has_gpu else "cpu")
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    record = {"date": now, "machine": machine, "commit": commit_of_sources(), "runs": []}
    path = path or path_for(now, word)
    if path.exists():
        old = json.loads(path.read_text(encoding="utf-8"))
        if any(old.get(key) != record[key] for key in ("machine", "commit")):
            sys.exit(f"beside_peers: error: {path} is of another machine or commit; name a new one")
        record = old
    return record, path


def main():
    steps = steps_known()
    options = parsed(steps)
    has_gpu = bool(output_of("nvidia-smi", "--query-gpu=name", "--format=csv,noheader"))
    devices = [options.device] if options.device else ["cpu"] + ["cuda"] * has_gpu
    record, path = record_in(options.json, has_gpu or options.device == "cuda")

    def write():
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    before = len(record["runs"])
    if options.steps or not options.yask:
        for device in devices:
            measure_device(device, steps, options, record, write)
    for kernel, command in options.yask:
        measure_yask(kernel, command, options, record, write)
    print(f"beside_peers: record {path}")
    sys.exit(any(row.get("failed") for run in record["runs"][before:] for row in run["rows"]))


if __name__ == "__main__":
    main()
