#!/usr/bin/env python3
"""Draws how cuts between devices of different speed came to rest, from what a run has left in
summary.json: the extents of the pieces after every adjustment, and for how long each was worked on.

usage: scripts/balance_picture.py SUMMARY.json [--names A,B,...] [--out FILE.svg]

The picture is FILE.svg or balance.svg beside the summary; names are those of the pieces, in order.
"""

import argparse
import json
import math
import sys
from html import escape
from pathlib import Path

COLORS = ["#2a6fbb", "#e08a1e", "#3a9d5d", "#c0392b", "#8e63b0", "#1d5e3a", "#777777", "#b8860b"]
TOP, HEIGHT, WIDTH = 70, 240, 250


def fail(message):
    sys.exit(f"balance_picture: error: {message}")


def read(path):
    """The balance of the first grid."""
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        fail(f"{path} is no summary of goban ({error})")
    balances = summary.get("balance") if isinstance(summary, dict) else None
    if not balances:
        fail(f"{path} tells of no balance (its devices were equal, or too few steps were run)")
    return balances[0]


def pieces(trial):
    """Extents along the axis with most pieces, and for how long each was worked on, in ms a step."""
    counts = [len(extents) for extents in trial["extents"]]
    axis = max(range(3), key=lambda a: counts[a])
    stride = math.prod(counts[:axis])
    longest = [0.0] * counts[axis]
    for patch, seconds in enumerate(trial["busy"]):
        piece = patch // stride % counts[axis]
        longest[piece] = max(longest[piece], 1e3 * seconds)
    return "xyz"[axis], trial["extents"][axis], longest


def round_steps(most):
    """A few round numbers from 0 to about `most`."""
    raw = most / 4
    unit = 10 ** math.floor(math.log10(raw))
    step = next(unit * n for n in (1, 2, 5, 10) if unit * n >= raw)
    return [step * n for n in range(int(most / step * 1.0001) + 1)]


class Panel:
    """Curves over the number of the adjustment."""

    def __init__(self, left, title, count, most):
        self.left, self.count, self.most = left, count, most
        middle = left + WIDTH / 2
        self.out = [f'<text x="{middle}" y="{TOP - 14}" text-anchor="middle" font-size="14">{title}</text>',
                    f'<text x="{middle}" y="{TOP + HEIGHT + 36}" text-anchor="middle">adjustment</text>']
        for y in round_steps(most):
            at = self.at(0, y)[1]
            self.out.append(f'<line x1="{left}" y1="{at:.1f}" x2="{left + WIDTH}" y2="{at:.1f}" stroke="#ddd"/>'
                            f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{y:g}</text>')
        for n in range(count):
            x, y = self.at(n, 0)
            self.out.append(f'<text x="{x:.1f}" y="{y + 17:.1f}" text-anchor="middle">{n}</text>')

    def at(self, n, y):
        share = n / max(1, self.count - 1)
        return self.left + WIDTH * (0.03 + 0.94 * share), TOP + HEIGHT * (1 - y / (1.05 * self.most))

    def mark(self, n):
        x = self.at(n, 0)[0]
        self.out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + HEIGHT}" stroke="#999" '
                        'stroke-dasharray="2 3"/>')

    def curve(self, values, color, name, dashes=""):
        places = [self.at(n, y) for n, y in enumerate(values)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        self.out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>')
        self.out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"><title>{escape(name)}: '
                     f'{value:.4g}</title></circle>' for (x, y), value in zip(places, values)]


def picture(balance, names):
    trials, kept = balance["trials"], balance["kept"]
    found = [pieces(trial) for trial in trials]
    axis, count = found[0][0], len(found[0][1])
    names = names or [f"piece {n}" for n in range(1, count + 1)]
    if len(names) != count:
        fail(f"there are {count} pieces along {axis} (write as many names)")
    steps = [1e3 * trial["step"] for trial in trials]
    left = Panel(60, f"planes along {axis}", len(trials), max(max(e) for _, e, _ in found))
    right = Panel(390, "ms a step", len(trials), max(max(max(b) for _, _, b in found), *steps))
    for panel in (left, right):
        panel.mark(kept)
    legend = []
    for n, name in enumerate(names):
        color = COLORS[n % len(COLORS)]
        left.curve([extents[n] for _, extents, _ in found], color, name)
        right.curve([busy[n] for _, _, busy in found], color, name)
        legend.append((color, name))
    right.curve(steps, "#222222", "the whole step", ' stroke-dasharray="6 4"')
    legend.append(("#222222", "the whole step"))
    texts = [f'<text x="680" y="{TOP + 20 + 20 * n}" fill="{color}">{escape(name)}</text>'
             for n, (color, name) in enumerate(legend)]
    imbalance = " ".join(f"{100 * trial['imbalance']:.1f}" for trial in trials)
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 375" width="820" height="375" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="30" y="26" font-size="14">imbalance after each adjustment, %: {imbalance}; '
        f'kept: {kept}</text>', *left.out, *right.out, *texts, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("summary", type=Path)
    parser.add_argument("--names", type=lambda text: text.split(","))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    out = options.out or options.summary.with_name("balance.svg")
    out.write_text(picture(read(options.summary), options.names), encoding="utf-8")
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
