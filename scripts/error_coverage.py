#!/usr/bin/env python3
"""Which share of the places where an error is thrown the tests have reached.

usage: scripts/error_coverage.py BUILD [--missed]

BUILD is a folder whose programs were compiled and linked with --coverage, for example

  cmake -S . -B build/coverage -G Ninja -DCMAKE_BUILD_TYPE=None -DGOBAN_TESTS=ON \\
      -DCMAKE_CXX_FLAGS="-O1 --coverage -fprofile-abs-path" \\
      -DCMAKE_EXE_LINKER_FLAGS=--coverage -DCMAKE_SHARED_LINKER_FLAGS=--coverage
  ninja -C build/coverage && ctest --test-dir build/coverage

A place is a line of src, cli or apps that says `throw` or calls refuse() or fail(), in code that was
compiled. --missed names those that nothing has reached. Exit code 1 if there is nothing to count."""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = re.compile(r"\bthrow\b|\b(refuse|fail)\(")
NO_PLACE = re.compile(r"\s*//|.*\[\[noreturn\]\]|\s*void ")


def counts_of(data):
    """How often each line ran that this file of counts knows: (file, line) -> times."""
    found = Counter()
    said = subprocess.run(["gcov", "-j", "-t", str(data)], capture_output=True, text=True, check=True,
                          cwd=data.parent)
    for text in said.stdout.splitlines():
        part = json.loads(text)
        for file in part["files"]:
            path = (Path(part["current_working_directory"]) / file["file"]).resolve()
            for line in file["lines"]:
                found[path, line["line_number"]] += line["count"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--source", type=Path, default=ROOT)
    options = parser.parse_args()
    source = options.source.resolve()
    counts = Counter()
    for data in options.build.resolve().rglob("*.gcda"):
        for place, times in counts_of(data).items():
            counts[place] += times  # a line that never ran stays known, with 0
    reached, missed, lines = 0, [], []
    for path in sorted({path for path, _ in counts}):
        if not any(path.is_relative_to(source / folder) for folder in ("src", "cli", "apps")):
            continue
        for number, text in enumerate(path.read_text().splitlines(), 1):
            if (path, number) not in counts:
                continue
            lines.append(counts[path, number] > 0)
            if not PLACE.search(text) or NO_PLACE.match(text):
                continue
            if counts[path, number]:
                reached += 1
            else:
                missed.append(f"{path.relative_to(source)}:{number}: {text.strip()}")
    places = reached + len(missed)
    if not places:
        sys.exit(f"error_coverage: error: {options.build} has no counts of goban's lines")
    if options.missed:
        print("\n".join(missed))
    print(f"{reached} of {places} places where an error is thrown, {100 * reached / places:.0f} %; "
          f"{sum(lines)} of {len(lines)} lines, {100 * sum(lines) / len(lines):.0f} %")


if __name__ == "__main__":
    main()
