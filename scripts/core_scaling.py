#!/usr/bin/env python3
"""Measures kernels of `goban bench` and the copy with 1, 2, 4, ... threads, and draws how they scale.

usage: scripts/core_scaling.py [--bench PROGRAM] [--threads 1,2,4,8,16] [--kernels heat7,heat25,...]
           [--rounds 3] [--seconds 520] [--records DIR]
       scripts/core_scaling.py --picture RECORD.json

The record is <date>-<machine>-scaling.json (benchmarks/records/README.md has the layout), the picture
the same with .svg: of every kernel the rate with n threads over that with the fewest, beside that of
the copy as it was measured with the kernel. The most threads are measured first, then the fewest. What
was measured is written at once. Nothing is begun that is not expected to end within --seconds. Exit
code 1 if nothing could be measured.
"""

import argparse
import datetime
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from html import escape
from pathlib import Path

from records.machine import machine_of, output_of

ROOT = Path(__file__).resolve().parents[1]
KERNELS = "heat7,heat7_pass,heat25,seismic,seismic8,d3q19,life,dendrite,gray_scott"
CELLS = {"seismic": 256, "seismic8": 256}  # others as large as goban bench makes them
COLUMNS, WIDTH, HEIGHT, LEFT, TOP = 3, 230, 170, 50, 60


def by_importance(threads):
    """The most, the fewest, then the others from the top."""
    ordered = sorted(set(threads), reverse=True)
    return ordered[:1] + ordered[1:][-1:] + ordered[1:-1]


def measured(options, kernel, threads):
    """A run of the record."""
    words = [kernel, "--alone", "--rounds", str(options.rounds), "--threads", str(threads)]
    if kernel in CELLS:
        words += ["--cells", str(CELLS[kernel])]
    run = {"command": " ".join(["goban-bench", *words])}
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "record.json"
        done = subprocess.run([options.bench, *words, "--json", str(found)], capture_output=True, text=True)
        if done.returncode != 0 or not found.exists():
            lines = (done.stdout + done.stderr).strip().splitlines() or [f"exit code {done.returncode}"]
            return {**run, "refused": lines[-1]}
        row = json.loads(found.read_text())[kernel]
    cells = row["cells"]
    keys = ("updates_per_second", "best_updates_per_second", "of_copy", "copy_bandwidth", "bytes_per_update",
            "flops_per_update")
    return {**run, "rows": [{"program": "goban-bench", "name": kernel, "cells": [cells, cells, cells],
                             "threads": threads, **{key: row[key] for key in keys}}]}


def rows_of(record):
    rows = [row for run in record["runs"] for row in run.get("rows", []) if row["program"] == "goban-bench"]
    if not rows:
        sys.exit("core_scaling: error: the record has no rows of goban-bench")
    return rows


class Panel:
    """One kernel: how many times as fast, over threads, both by powers of two."""

    def __init__(self, number, most):
        self.left = LEFT + number % COLUMNS * (WIDTH + 55)
        self.top = TOP + number // COLUMNS * (HEIGHT + 70)
        self.ticks = [2**n for n in range(math.ceil(math.log2(max(2, most))) + 1)]
        self.out = []
        for tick in self.ticks:
            x, y = self.at(tick, tick)
            self.out.append(
                f'<line x1="{self.left}" y1="{y:.1f}" x2="{self.left + WIDTH}" y2="{y:.1f}" stroke="#ddd"/>'
                f'<text x="{self.left - 6}" y="{y + 4:.1f}" text-anchor="end">{tick}</text>'
                f'<text x="{x:.1f}" y="{self.top + HEIGHT + 16}" text-anchor="middle">{tick}</text>')

    def at(self, threads, times):
        most = math.log2(self.ticks[-1])
        return (self.left + WIDTH * (0.03 + 0.94 * math.log2(threads) / most),
                self.top + HEIGHT * (0.97 - 0.94 * max(0.0, math.log2(max(times, 1e-9))) / most))

    def title(self, text):
        self.out.append(f'<text x="{self.left}" y="{self.top - 8}" font-size="11">{escape(text)}</text>')

    def curve(self, times, color, name, dashes=""):
        places = [self.at(threads, value) for threads, value in times]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        self.out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>')
        self.out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"><title>{escape(name)}, {threads} '
                     f'threads: {value:.2f} times</title></circle>'
                     for (x, y), (threads, value) in zip(places, times)]


def picture(record):
    by_kernel = {}
    for row in rows_of(record):
        by_kernel.setdefault(row["name"], {})[row["threads"]] = row
    most = max(row["threads"] for row in rows_of(record))
    out = []
    for number, (kernel, rows) in enumerate(by_kernel.items()):
        panel = Panel(number, most)
        fewest, widest = rows[min(rows)], rows[max(rows)]
        panel.title(f"{kernel} {widest['cells'][0]}^3: {1e-9 * widest['updates_per_second']:.3g} GLUP/s, "
                    f"{widest['of_copy']:.2f} of copy")
        for key, color, name, dashes in (("copy_bandwidth", "#888888", "copy", ' stroke-dasharray="5 4"'),
                                         ("updates_per_second", "#2a6fbb", kernel, "")):
            times = [(n, min(rows) * rows[n][key] / fewest[key]) for n in sorted(rows)]
            panel.curve(times, color, name, dashes)
        out += panel.out
    width = LEFT + COLUMNS * (WIDTH + 55)
    height = TOP + math.ceil(len(by_kernel) / COLUMNS) * (HEIGHT + 70)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="14">times as fast as one thread, over threads; dashed: the copy '
        f'({escape(record["machine"]["processor"])}, {record["date"][:10]})</text>', *out, "</svg>"]) + "\n"


def write(record, path):
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if any("rows" in run for run in record["runs"]):
        path.with_suffix(".svg").write_text(picture(record), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--picture", type=Path, metavar="RECORD")
    parser.add_argument("--bench", default=str(ROOT / "build/release/bin/goban-bench"))
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--kernels", default=KERNELS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=520, help="that all may take")
    parser.add_argument("--records", type=Path, default=ROOT / "benchmarks/records")
    options = parser.parse_args()
    if options.picture:
        out = options.picture.with_suffix(".svg")
        out.write_text(picture(json.loads(options.picture.read_text(encoding="utf-8"))), encoding="utf-8")
        print(f"core_scaling: wrote {out}")
        return
    cores = len(os.sched_getaffinity(0))
    threads = options.threads or [2**n for n in range(cores.bit_length()) if 2**n <= cores]
    machine, word = machine_of("cpu")
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    commit = output_of("git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=7", "--exclude=*")
    record = {"date": now, "machine": machine, "commit": commit or "unknown", "runs": []}
    stem = f"{now[:10]}-{word}-scaling"
    path, number = options.records / f"{stem}.json", 1
    while path.exists():
        number += 1
        path = options.records / f"{stem}-{number}.json"
    start, longest = time.monotonic(), {}
    for count in by_importance(threads):
        for kernel in options.kernels.split(","):
            begun = time.monotonic()
            # With half the threads it may take twice as long.
            if begun - start + 2 * longest.get(kernel, 0) > options.seconds:
                record["runs"].append({"command": f"goban-bench {kernel} --threads {count}", "refused": "time was up"})
                continue
            run = measured(options, kernel, count)
            longest[kernel] = max(longest.get(kernel, 0), time.monotonic() - begun)
            record["runs"].append(run)
            write(record, path)
            for row in run.get("rows", []):
                print(f"{kernel:12} {count:3} threads: {1e-9 * row['updates_per_second']:8.3f} GLUP/s, "
                      f"{row['of_copy']:.3f} of copy ({1e-9 * row['copy_bandwidth']:.0f} GB/s)", flush=True)
            if "refused" in run:
                print(f"{kernel:12} {count:3} threads: {run['refused']}", flush=True)
    write(record, path)
    print(f"core_scaling: record {path}, {time.monotonic() - start:.0f} s")
    sys.exit(0 if any("rows" in run for run in record["runs"]) else 1)


if __name__ == "__main__":
    main()
