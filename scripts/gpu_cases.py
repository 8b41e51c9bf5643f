#!/usr/bin/env python3
"""Runs every case of cases/, without the large ones of cases/papers, on the CPU and on GPUs and compares what the fields hold at the end, bit
for bit. Cases in time take a few steps, steady ones all they need.

usage: scripts/gpu_cases.py [--goban PROGRAM] [--devices cuda:0 ...] [--steps N] [CASE ...] [key=value ...]

A line for every case; exit code 1 if a run fails, if checksums differ, or if nothing was compared. A
case that the CPU cannot run either (its data are not here) is left out and said to be.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(goban, case, devices, overrides, folder):
    """Summary, or the last line of what it said; and seconds."""
    summary = Path(folder) / "summary.json"
    summary.unlink(missing_ok=True)
    command = [goban, "run", str(case), *overrides, "--devices", devices, "--overwrite",
               "--out", str(Path(folder) / "run"), "--summary", str(summary)]
    start = time.monotonic()
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180)
    except subprocess.TimeoutExpired:
        return None, "did not end in 180 s", 180
    seconds = time.monotonic() - start
    if not summary.exists():
        lines = (done.stdout + done.stderr).strip().splitlines() or [f"exit code {done.returncode}"]
        return None, lines[-1], seconds
    return json.loads(summary.read_text()), "", seconds


def compare(goban, case, devices, steps, overrides):
    """A line about the case; whether all is right, None if it was left out."""
    is_in_time = re.search(r"^\[time\]", case.read_text(), re.MULTILINE)
    overrides = overrides + ([f"time.steps={steps}"] if is_in_time else [])
    with tempfile.TemporaryDirectory() as folder:
        expected, problem, seconds = run(goban, case, "cpu", overrides, folder)
        if expected is None:
            return f"left out: the CPU cannot run it either ({problem})", None
        steps = f"{expected['steps']} steps " if "steps" in expected else ""
        parts, is_right = [f"checksum {expected['checksum']}, cpu {steps}{seconds:.1f} s"], True
        for names in devices:
            found, problem, seconds = run(goban, case, names, overrides, folder)
            agrees = found is not None and found["checksum"] == expected["checksum"]
            is_right = is_right and agrees
            verdict = problem if found is None else "equal" if agrees else "DIFFERENT BITS"
            parts.append(f"{names} {seconds:.1f} s {verdict}")
        return ", ".join(parts), is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE|key=value")
    parser.add_argument("--goban", default=str(ROOT / "build/gpu-check/bin/goban"))
    parser.add_argument("--devices", action="append", help="may be given several times; default: cuda")
    parser.add_argument("--steps", type=int, default=48)
    options = parser.parse_args()
    overrides = [word for word in options.cases if "=" in word]
    cases = [Path(word) for word in options.cases if "=" not in word]
    verdicts = []
    small = [case for case in sorted((ROOT / "cases").glob("*/*.toml")) if case.parent.name != "papers"]
    for case in cases or small:
        line, verdict = compare(options.goban, case.resolve(), options.devices or ["cuda"],
                                options.steps, overrides)
        print(f"{case.parent.name}/{case.stem}: {line}", flush=True)
        verdicts.append(verdict)
    if all(verdict is None for verdict in verdicts):
        sys.exit("gpu_cases: error: nothing was compared")
    sys.exit(1 if False in verdicts else 0)


if __name__ == "__main__":
    main()
