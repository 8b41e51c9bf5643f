#!/usr/bin/env python3
"""Runs the Graph500 benchmark at several scales, one after the other, and writes what it measured as
benchmarks/records/<date>-<machine>-graph500.json (benchmarks/records/README.md has the layout).

usage: scripts/graph500_record.py [--goban PROGRAM] [--devices cuda:0] [--scales 24,26,27,28]
           [--launcher "mpirun -n 4"] [--records DIR] [--limit SECONDS] [key=value ...]

Keys of the case follow: search.paths=true measures kernel 3, too. A scale that does not fit is noted as
refused. What a run has measured is written at once, so that nothing is lost where a later one is ended.
Exit code 1 if no scale could be measured.
"""

import argparse
import datetime
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from records.machine import machine_of

ROOT = Path(__file__).resolve().parents[1]
CASE = "cases/graph500/small.toml"


def row_of(scale, summary):
    results = summary["results"]
    row = {
        "program": "goban-graph500", "scale": scale, "devices": summary["devices"][0],
        "ranks": summary["ranks"], "vertices": results["vertices"],
        "input_edges": results["input_edges"], "searches": results["searches"],
        "validated": results["validated"], "generation_seconds": results["generation_seconds"],
        "construction_seconds": results["construction_seconds"],
        "search_seconds": results["search_seconds"]["mean"], "teps": results["teps"],
        "smallest_component": results["smallest_component"], "levels": results["levels"],
        "checksum": summary["checksum"],
    }
    if "path_teps" in results:
        row.update(path_seconds=results["path_seconds"]["mean"], path_teps=results["path_teps"])
    return row


def measured(options, scale):
    """A run of the record; and the commit of the program."""
    words = [CASE, f"graph.scale={scale}", "--devices", options.devices, *options.keys]
    shown = " ".join([*options.launcher.split(), "goban", "run", *words])
    with tempfile.TemporaryDirectory() as folder:
        command = [*options.launcher.split(), options.goban, "run", *words, "--out", folder, "--overwrite"]
        print(f"graph500_record: {shown}", flush=True)
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=options.limit)
        except subprocess.TimeoutExpired:
            return {"command": shown, "refused": f"did not end in {options.limit:g} s"}, "unknown"
        summary = Path(folder) / "summary.json"
        if done.returncode != 0 or not summary.exists():
            lines = (done.stdout + done.stderr).strip().splitlines() or [f"exit code {done.returncode}"]
            print(lines[-1], flush=True)
            return {"command": shown, "refused": lines[-1]}, "unknown"
        print("\n".join(line for line in done.stdout.splitlines() if line.startswith("  ")), flush=True)
        summary = json.loads(summary.read_text())
        commit = re.search(r"\(([0-9a-f]{7,}(?:-dirty)?)\)", summary["goban"])
        return {"command": shown, "rows": [row_of(scale, summary)]}, commit[1] if commit else "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("keys", nargs="*", metavar="key=value")
    parser.add_argument("--goban", default=str(ROOT / "build/release/bin/goban"))
    parser.add_argument("--devices", default="cuda:0")
    parser.add_argument("--scales", default="24,26,27,28")
    parser.add_argument("--launcher", default="")
    parser.add_argument("--records", type=Path, default=ROOT / "benchmarks/records")
    parser.add_argument("--limit", type=float, default=1800, help="seconds that a run may take")
    options = parser.parse_args()
    machine, word = machine_of(options.devices)
    now = datetime.datetime.now(datetime.timezone.utc)
    record = {"date": now.isoformat(timespec="seconds"), "machine": machine, "commit": "unknown", "runs": []}
    stem = f"{record['date'][:10]}-{word}-graph500"
    path, number = options.records / f"{stem}.json", 1
    while path.exists():
        number += 1
        path = path.with_name(f"{stem}-{number}.json")
    for scale in map(int, options.scales.split(",")):
        run, commit = measured(options, scale)
        record["runs"].append(run)
        record["commit"] = commit if commit != "unknown" else record["commit"]
        path.write_text(json.dumps(record, indent=1) + "\n")
    print(f"graph500_record: record {path}")
    sys.exit(0 if any("rows" in run for run in record["runs"]) else 1)


if __name__ == "__main__":
    main()
