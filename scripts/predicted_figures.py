#!/usr/bin/env python3
"""Runs the `goban predict` commands that documents show, and compares what they print.

usage: scripts/predicted_figures.py --check | --write [--goban PROGRAM]

A block whose first line is "$ goban predict ..." holds the output of that command. --check says which
blocks differ (exit code 1); --write renews them and the pictures that the commands draw into
docs/pictures. Files of another folder that a command names are those of the repository."""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / page for page in ("docs/model.md", "docs/published-figures.md", "docs/scaling.md", "apps/blood/README.md")]
BLOCK = re.compile(r"(```\n\$ (goban predict [^\n]*)\n)(.*?)(^```$)", re.DOTALL | re.MULTILINE)


def output_of(goban, command, folder):
    """What a command prints; pictures go below `folder`."""
    words = [str(folder / word) if word.startswith("docs/pictures/") else word
             for word in shlex.split(command)[1:]]
    done = subprocess.run([goban, *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"predicted_figures: {command}: {done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--check", action="store_true")
    todo.add_argument("--write", action="store_true")
    parser.add_argument("--goban", default=str(ROOT / "goban"))
    options = parser.parse_args()
    texts = {page: page.read_text(encoding="utf-8") for page in PAGES}
    commands = {block[2]: None for text in texts.values() for block in BLOCK.finditer(text)}
    if not commands:
        sys.exit("predicted_figures: no document shows a command")
    stale = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "docs/pictures").mkdir(parents=True)
        with ThreadPoolExecutor(2) as pool:
            outputs = pool.map(lambda command: output_of(options.goban, command, folder), commands)
            made = dict(zip(commands, outputs))
        for page, text in texts.items():
            for block in BLOCK.finditer(text):
                if block[3] != made[block[2]]:
                    stale += 1
                    print(f"predicted_figures: {page.relative_to(ROOT)}: {block[2]}: "
                          f"{'renewed' if options.write else 'prints something else'}")
            if options.write:
                page.write_text(BLOCK.sub(lambda b: b[1] + made[b[2]] + b[4], text), encoding="utf-8")
        for picture in sorted((folder / "docs/pictures").iterdir()):
            target = ROOT / "docs/pictures" / picture.name
            if options.write:
                target.write_bytes(picture.read_bytes())
            elif not target.exists():
                stale += 1
                print(f"predicted_figures: {target.relative_to(ROOT)} is missing")
    sys.exit(1 if stale and options.check else 0)


if __name__ == "__main__":
    main()
