#!/usr/bin/env python3
"""Makes the tables and the picture of docs/scaling.md by `goban predict`, from the machine file h200.

usage: scripts/scaling_tables.py --check | --write [--goban PROGRAM]

--check says which of them differ (exit code 1), --write renews them."""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/scaling.md"
PICTURE = ROOT / "docs/pictures/scaling.svg"
DEVICES = [1, 8, 64, 512, 4096]
CASES = {  # one for every kind of step; cells of weak scaling are those of a GPU
    "heat, float32": (["cases/heat/hotspot.toml", "run.precision=float32"], 512, 2048),
    "life": (["cases/life/soup.toml"], 512, 2048),
    "lbm, D3Q19": (["cases/lbm/taylor_green.toml"], 256, 1024),
    "seismic": (["cases/seismic/basin.toml"], 256, 1024),
    "dendrite": (["cases/dendrite/karma_rappel.toml"], 256, 1024),
}
MARK = re.compile(r"(<!-- scaling: (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
ROW = re.compile(r"^ *(\d+)  \S+ +(\S+) +(.*?)  +\S+ \w+ +(\S+ \w+/s) +(\d+)% +\S+%  (.*)$", re.MULTILINE)


def predict(goban, words, cells, *options):
    command = [goban, "predict", *words, f"grid.cells={cells}", "--machine", "h200",
               "--devices", ",".join(map(str, DEVICES)), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"scaling_tables: {' '.join(command)}: {done.stderr}")
    return {int(row[0]): row for row in ROW.findall(done.stdout)}


def table(goban, kind):
    lines = ["| | cells | " + " | ".join(f"{n:,}" for n in DEVICES) + f" | at {DEVICES[-1]:,}: plan, pieces, limited by |",
             "| --- | --- |" + " --- |" * len(DEVICES) + " --- |"]
    for name, (words, weak, strong) in CASES.items():
        cells = weak if kind == "weak" else strong
        rows = predict(goban, words, cells, f"--{kind}")
        shown = [f"{rows[n][3]}, {rows[n][4]} %" if n in rows else "" for n in DEVICES]
        last = rows[DEVICES[-1]]
        lines.append(f"| {name} | {cells}^3 | {' | '.join(shown)} | {last[2]}, {last[1]}, {last[5]} |")
    return "\n" + "\n".join(lines) + "\n\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--check", action="store_true")
    todo.add_argument("--write", action="store_true")
    parser.add_argument("--goban", default=str(ROOT / "goban"))
    options = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    made = MARK.sub(lambda mark: mark[1] + table(options.goban, mark[2]) + mark[3], text)
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "scaling.svg"
        words, _, cells = CASES["heat"]
        predict(options.goban, words, cells, "--strong", "--picture", str(picture))
        files = {PAGE: made, PICTURE: picture.read_text(encoding="utf-8")}
    stale = [path for path, content in files.items()
             if not path.exists() or path.read_text(encoding="utf-8") != content]
    for path in stale:
        if options.write:
            path.write_text(files[path], encoding="utf-8")
        print(f"scaling_tables: {path.relative_to(ROOT)} {'renewed' if options.write else 'differs'}")
    sys.exit(1 if stale and options.check else 0)


if __name__ == "__main__":
    main()
