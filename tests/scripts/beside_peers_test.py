"""scripts/beside_peers.py measures and compares the same step in several libraries, says which are not
there and which fail, and shows YASK's rate beside that of goban's kernel."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])
sys.path[:0] = [str(SOURCE / "scripts"), str(SOURCE / "tests/python")]
sys.dont_write_bytecode = True
from environment import skip_if_impossible  # noqa: E402
from records import layout  # noqa: E402

BENCH = """#!/bin/sh
echo '{"heat25": {"updates_per_second": 4e9, "cells": 512}}' > "$8"
"""


def compare(folder, *arguments):
    """Exit code, what was printed, the record."""
    record = Path(folder) / "record.json"
    paths = [folder, str(Path(os.environ["GOBAN_BINARY_DIR"]) / "lib/goban/python")]
    run = subprocess.run([sys.executable, SOURCE / "scripts/beside_peers.py", "--device", "cpu", "--json", record,
                          "--threads", "1", "--seconds", "0.001", *arguments], capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
    return run.returncode, run.stdout + run.stderr, json.loads(record.read_text()) if record.exists() else None


def check_peers(folder):
    """Of four peers one cannot be imported and one is not what it should be."""
    (Path(folder) / "taichi.py").write_text("raise ImportError('it is hidden')\n")
    (Path(folder) / "numba.py").write_text("")
    code, output, record = compare(folder, "--steps", "heat7", "--peers", "goban,numpy,numba,taichi", "--cells", "16")
    assert code == 1, output
    layout.check(record, "record.json")
    (run,) = record["runs"]
    assert run["command"].startswith("scripts/beside_peers.py --device cpu --json"), run
    assert run["note"] == "not there: taichi (ImportError: it is hidden)", run
    goban, numpy, failed = run["rows"]
    assert failed["title"] == "numba, heat7, cpu" and "cannot import name 'njit'" in failed["unreadable"], failed
    for row in (goban, numpy):
        assert row["name"] == "heat7" and row["cells"] == [16, 16, 16] and row["threads"] == 1, row
        assert 0 < row["second_seconds"] < 60 and 0 < row["first_seconds"] < 60, row
        assert 0 < row["updates_per_second"] <= row["best_updates_per_second"], row
    assert goban["peer"] == "goban" and "difference" not in goban, goban
    assert numpy["peer"] == "numpy" and 0 <= numpy["difference"] < 1e-6, numpy
    code_lines = (SOURCE / "benchmarks/peers/heat7/numpy.py").read_text().splitlines()
    assert numpy["lines"] == sum(line.strip() != "" for line in code_lines), numpy


def check_yask(folder):
    bench = Path(folder) / "bench"
    bench.write_text(BENCH)
    bench.chmod(0o755)
    rates = f"cd {folder}; echo x >> rounds; echo mid-throughput '(num-points/sec):' $(wc -l < rounds)00M"
    code, output, record = compare(folder, "--bench", bench, "--yask", "heat25", rates)
    assert code == 0, output
    layout.check(record, "record.json")
    goban, yask = record["runs"][-1]["rows"]
    assert goban["updates_per_second"] == 4e9 and goban["cells"] == [512] * 3, goban
    assert (yask["updates_per_second"], yask["best_updates_per_second"]) == (2e8, 3e8), yask
    code, output, _ = compare(folder, "--bench", bench, "--yask", "heat25", "true")
    assert code == 1 and "no rate in what `true` prints" in output, output
    code, output, record = compare(folder, "--bench", bench, "--yask", "heat25", rates)
    assert code == 0 and len(record["runs"]) == 2, "runs are added"
    (Path(folder) / "record.json").write_text(json.dumps({**record, "commit": "1234567"}))
    code, output, _ = compare(folder, "--bench", bench, "--yask", "heat25", rates)
    assert code == 1 and "is of another machine or commit" in output, output


def main():
    skip_if_impossible()
    with tempfile.TemporaryDirectory() as folder:
        check_peers(folder)
    with tempfile.TemporaryDirectory() as folder:
        check_yask(folder)
        code, output, _ = compare(folder, "--steps", "heat9")
        assert code == 2 and "'heat9' is no step (there are heat7, " in output, output


if __name__ == "__main__":
    main()
