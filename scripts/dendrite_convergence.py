#!/usr/bin/env python3
"""Runs PFHub benchmark 3 to t = 300 and a flat interface with smaller and smaller cells, and draws
docs/pictures/dendrite_convergence.svg: how far the results are from their limits.

usage: scripts/dendrite_convergence.py [--goban PROGRAM] [--runs DIR]

Takes minutes. Runs that DIR holds already are not repeated.
"""

import argparse
import csv
import json
import math
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs/pictures/dendrite_convergence.svg"
BLUE, ORANGE = "#2a6fbb", "#e08a1e"


def run(goban, runs, name, case, *settings):
    """The folder of a finished run."""
    folder = runs / name
    if not (folder / "summary.json").exists():
        subprocess.run([goban, "run", str(ROOT / "cases/dendrite" / case), *settings, "--overwrite",
                        "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)
    return folder


def dendrites(goban, runs):
    """(cell, tip, solid fraction) of PFHub 3 at t = 300."""
    found = []
    for cells in (200, 280, 400, 500):
        folder = run(goban, runs, f"pfhub3_{cells}", "pfhub3.toml", f"grid.cells=[{cells},{cells},1]",
                     f"grid.spacing={200 / cells}", "time.end=300")
        results = json.loads((folder / "summary.json").read_text())["results"]
        found.append((200 / cells, results["tip"], results["solid_fraction"]))
    return found


def fronts(goban, runs):
    """(cells an interface, speed over kinetic coefficient times undercooling)."""
    found = []
    for cells in (48, 60, 72, 96, 144, 192, 288):
        folder = run(goban, runs, f"front_{cells}", "front.toml", f"grid.cells=[1,{cells},1]",
                     f"grid.spacing={960e-9 / cells}", "run.precision=float64")
        with open(folder / "front_series.csv", encoding="utf-8") as file:
            rows = [(float(row[1]), float(row[2])) for row in list(csv.reader(file))[1:]]
        (begin, low), (end, high) = next(r for r in rows if r[0] > 1.99e-6), rows[-1]
        found.append((cells * 40e-9 / 960e-9, (high - low) / (end - begin) / 0.06))
    return found


def limit(rows, column):
    """What second order makes of the two smallest cells."""
    a, b = rows[-2], rows[-1]
    return b[column] + (b[column] - a[column]) / ((a[0] / b[0]) ** 2 - 1)


class Panel:
    """A plot with logarithmic axes or a linear y."""

    def __init__(self, left, title, label, x, y, is_linear=False):
        self.box, self.x, self.y, self.is_linear = (left, 60, 300, 240), x, y, is_linear
        middle = left + 150
        self.out = [f'<text x="{middle}" y="40" text-anchor="middle" font-size="15">{title}</text>',
                    f'<text x="{middle}" y="340" text-anchor="middle">{label}</text>']

    def at(self, x, y):
        left, top, width, height = self.box
        share_x = math.log(x / self.x[0]) / math.log(self.x[1] / self.x[0])
        low, high = self.y
        share_y = (y - low) / (high - low) if self.is_linear else math.log(y / low) / math.log(high / low)
        return left + width * share_x, top + height * (1 - share_y)

    def grid(self, xs, ys, text):
        for x in xs:
            (at, bottom), (_, top) = self.at(x, self.y[0]), self.at(x, self.y[1])
            self.out.append(f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{bottom}" stroke="#ddd"/>'
                            f'<text x="{at:.1f}" y="{bottom + 17}" text-anchor="middle">{x:g}</text>')
        for y in ys:
            (left, at), (right, _) = self.at(self.x[0], y), self.at(self.x[1], y)
            self.out.append(f'<line x1="{left}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}" stroke="#ddd"/>'
                            f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{text(y)}</text>')

    def curve(self, points, color, name="", dashes=""):
        places = [self.at(*point) for point in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        self.out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>')
        if not dashes:
            self.out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>' for x, y in places]
        x, y = places[-1]
        self.out.append(f'<text x="{x + 6:.1f}" y="{y + 4:.1f}" fill="{color}">{name}</text>')


def percent(share):
    return f"{100 * share:g} %"


def picture(dendrite_rows, front_rows):
    left = Panel(70, "PFHub benchmark 3 at t = 300: off the limit", "cell, W_0", (1.1, 0.36), (3e-4, 0.03))
    left.grid((1, 0.7, 0.5, 0.4), (1e-3, 1e-2), percent)
    for column, color, name in ((1, BLUE, "tip"), (2, ORANGE, "solid")):
        end = limit(dendrite_rows, column)
        left.curve([(row[0], 1 - row[column] / end) for row in dendrite_rows], color, name)
    left.curve([(1, 0.02), (0.4, 0.02 * 0.16)], "#777", "order 2", ' stroke-dasharray="5 4"')
    right = Panel(470, "Flat interface: speed over mu dT", "cells from phi = 0.1 to 0.9", (1.9, 14), (0, 1.1),
                  is_linear=True)
    right.grid((2, 3, 4, 6, 8, 12), (0, 0.25, 0.5, 0.75, 1), percent)
    right.curve(front_rows, BLUE)
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 360" width="820" height="360" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>', *left.out, *right.out, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--goban", default=str(ROOT / "goban"))
    parser.add_argument("--runs", type=Path, default=ROOT / "out/dendrite_convergence")
    options = parser.parse_args()
    options.runs.mkdir(parents=True, exist_ok=True)
    dendrite_rows, front_rows = dendrites(options.goban, options.runs), fronts(options.goban, options.runs)
    for row in dendrite_rows:
        print("cell {:.3f}: tip {:.3f}, solid fraction {:.6f}".format(*row))
    for row in front_rows:
        print("{:g} cells an interface: speed {:.4f} of mu dT".format(*row))
    PICTURE.write_text(picture(dendrite_rows, front_rows), encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
