#!/usr/bin/env python3
"""Draws a trace of `goban run --trace FILE` as a picture: a row for every queue, a colour for every
kind of work, and how much of each halo queue's time is hidden behind its device's sweeps.

usage: scripts/trace_picture.py TRACE.json [--steps FIRST:LAST] [--out FILE.svg]

Without --steps: the whole trace. The picture is FILE.svg or lies beside the trace.
"""

import argparse
import json
import re
import sys
from html import escape
from pathlib import Path

COLORS = {"sweep": "#2a6fbb", "pass": "#e08a1e", "copy": "#c0392b", "fill": "#8e63b0",
          "wait": "#cfcfcf", "output": "#3a9d5d", "checkpoint": "#1d5e3a"}
MOST_BARS = 20000
LEFT, WIDTH, RIGHT, TOP, ROW, BAR = 220, 900, 190, 50, 26, 18


def fail(message):
    sys.exit(f"trace_picture: error: {message}")


def read(path):
    """Bars as (row, begin, end, kind, name, step), rows as {row: (process, queue)}; microseconds."""
    try:
        events = json.loads(path.read_text())["traceEvents"]
        processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        rows = {e["tid"]: (processes[e["pid"]], e["args"]["name"])
                for e in events if e["name"] == "thread_name"}
        bars = [(e["tid"], e["ts"], e["ts"] + e["dur"], e["cat"], e["name"], e["args"].get("step"))
                for e in events if e["ph"] == "X"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail(f"{path} is no trace of goban ({error})")
    return bars, rows


def window(bars, first, last):
    """The bars that lie, perhaps in part, between the begin of one step and the end of another."""
    inside = [b for b in bars if b[5] is not None and first <= b[5] <= last]
    if not inside:
        fail(f"the trace has no steps {first} to {last}")
    begin, end = min(b[1] for b in inside), max(b[2] for b in inside)
    return [(row, max(a, begin), min(z, end), *rest) for row, a, z, *rest in bars
            if a < end and z > begin]


def busy(bars, row, kinds=COLORS):
    """Stretches of time, one after the other, in which the row has a bar of these kinds."""
    stretches = []
    for begin, end in sorted((b[1], b[2]) for b in bars if b[0] == row and b[3] in kinds):
        if stretches and begin <= stretches[-1][1]:
            stretches[-1][1] = max(end, stretches[-1][1])
        else:
            stretches.append([begin, end])
    return stretches


def length(stretches):
    return sum(end - begin for begin, end in stretches)


def overlap(first, second):
    """Time that is in both; both in order."""
    total, n = 0, 0
    for begin, end in first:
        while n < len(second) and second[n][1] <= begin:
            n += 1
        for other_begin, other_end in second[n:]:
            if other_begin >= end:
                break
            total += min(end, other_end) - max(begin, other_begin)
    return total


def remark(bars, rows, row, span):
    """How busy a row is; of a halo queue also how much of it is hidden."""
    process, queue = rows[row]
    here = busy(bars, row)
    text = f"busy {100 * length(here) / span:.0f} %"
    sweeps = [r for r in rows if r == row - 1 and rows[r] == (process, "compute")]
    if queue == "halo" and length(here) > 0:
        hidden = overlap(here, busy(bars, sweeps[0], ("sweep", "pass"))) if sweeps else 0
        text += f", hidden {100 * hidden / length(here):.0f} %"
    return text


def tick_of(span):
    """A round number of microseconds of which five to twelve fit."""
    tick = 10.0 ** (len(f"{span:.0f}") - 1)
    return next((tick / n for n in (1, 2, 5, 10) if span * n / tick >= 5), tick)


def picture(bars, rows, title):
    begin, end = min(b[1] for b in bars), max(b[2] for b in bars)
    span = max(end - begin, 1e-3)
    used = [row for row in sorted(rows) if any(b[0] == row for b in bars)]
    height = TOP + ROW * len(used)

    def x(time):
        return LEFT + WIDTH * (time - begin) / span

    size = f"{LEFT + WIDTH + RIGHT} {height + 40}"
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
           'font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{LEFT}" y="18" font-size="14">{escape(title)}</text>']
    kinds = [kind for kind in COLORS if any(b[3] == kind for b in bars)]
    for n, kind in enumerate(kinds):
        out.append(f'<rect x="{LEFT + 100 * n}" y="26" width="12" height="12" '
                   f'fill="{COLORS[kind]}"/><text x="{LEFT + 100 * n + 17}" y="36">{kind}</text>')
    tick = tick_of(span)
    for n in range(int(span / tick) + 1):
        at = x(begin + n * tick)
        out.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{height}" stroke="#ddd"/>'
                   f'<text x="{at:.1f}" y="{height + 16}" text-anchor="middle">'
                   f"{n * tick / 1000:g}</text>")
    out.append(f'<text x="{LEFT + WIDTH / 2}" y="{height + 34}" text-anchor="middle">'
               f"milliseconds from {begin / 1000:.3f}</text>")
    for n, row in enumerate(used):
        y = TOP + ROW * n + (ROW - BAR) / 2
        process, queue = rows[row]
        label = process if len(process) <= 18 else process[:17] + "…"
        name = queue if process == queue else f"{label}, {queue}"
        out.append(f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(name)}</text>'
                   f'<text x="{LEFT + WIDTH + 8}" y="{y + 13}" fill="#777">'
                   f"{remark(bars, rows, row, span)}</text>")
        for _, a, z, kind, what, step in (b for b in bars if b[0] == row):
            where = "" if step is None else f", step {step}"
            out.append(f'<rect x="{x(a):.2f}" y="{y}" width="{max(x(z) - x(a), 0.2):.2f}" '
                       f'height="{BAR}" fill="{COLORS.get(kind, "#999")}"><title>{escape(what)} '
                       f"({kind}){where}: {z - a:.1f} us</title></rect>")
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trace", type=Path, metavar="TRACE.json")
    parser.add_argument("--steps", metavar="FIRST:LAST")
    parser.add_argument("--out", type=Path, metavar="FILE.svg")
    options = parser.parse_args()
    bars, rows = read(options.trace)
    if not bars:
        fail(f"{options.trace} has no events")
    title = options.trace.name
    if options.steps:
        steps = re.fullmatch(r"(\d+):(\d+)", options.steps)
        if not steps:
            fail(f"--steps {options.steps} is refused (two numbers are expected); write 100:110")
        bars = window(bars, int(steps[1]), int(steps[2]))
        title += f", steps {steps[1]} to {steps[2]}"
    if len(bars) > MOST_BARS:
        fail(f"{len(bars)} bars are too many to see (at most {MOST_BARS}) choose some with --steps")
    out = options.out or options.trace.with_suffix(".svg")
    out.write_text(picture(bars, rows, title))
    print(f"trace_picture: wrote {out}")


if __name__ == "__main__":
    main()
