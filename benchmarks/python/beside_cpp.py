#!/usr/bin/env python3
"""The program of the README in Python beside the one in C++: rates of their steps, and the ratio.

usage: ./goban python benchmarks/python/beside_cpp.py [--cells N] [--steps N] [--pairs N] [OPTION]

Both are run in turns, without files; OPTIONs, such as --goban-devices cuda, go to both."""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import goban

SOURCE = Path(__file__).resolve().parents[2]
EXAMPLES, LIBRARIES = SOURCE / "examples", Path(goban.__file__).resolve().parents[3]
COMPILER = [os.environ.get("CXX", "c++"), "-std=c++20", "-O3", "-march=native", "-ffp-contract=off",
            "-fno-math-errno", "-Wno-psabi"]


def smaller(text, options):
    """The same program over so many cells and steps, that writes nothing."""
    text = re.sub(r"512, 512, 512", ", ".join([str(options.cells)] * 3), text)
    text = re.sub(r"steps( ?= ?)1000", rf"steps\g<1>{options.steps}", text)
    return re.sub(r"(simulation)\.output\(.*\)(\.progress\(\))", r"\1\2", text)


def rate(command, folder):
    """Updates a second, in 10^9."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    found = re.search(r"^  speed +([\d.]+) GLUP/s", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        sys.exit(f"{command} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return float(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cells", type=int, default=512, help="along each axis")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=5)
    options, others = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "diffusion.py").write_text(
            smaller((EXAMPLES / "python/diffusion.py").read_text(), options))
        (folder / "diffusion.cpp").write_text(
            smaller((EXAMPLES / "diffusion/diffusion.cpp").read_text(), options))
        subprocess.run([*COMPILER, f"-I{SOURCE / 'src'}", "diffusion.cpp", "-o", "diffusion",
                        f"-L{LIBRARIES}", f"-Wl,-rpath,{LIBRARIES}", "-lgoban", "-lfmt"], cwd=folder, check=True)
        commands = {"C++": ["./diffusion", *others],
                    "Python": [sys.executable, "diffusion.py", *others]}
        rates = {language: [] for language in commands}
        for pair in range(options.pairs):
            for language in sorted(commands, reverse=pair % 2 == 1):
                rates[language].append(rate(commands[language], folder))
    for language, found in rates.items():
        print(f"{language:7} {statistics.median(found):.3f} GLUP/s, the median of "
              + ", ".join(f"{one:.3f}" for one in found))
    ratio = statistics.median(rates["Python"]) / statistics.median(rates["C++"])
    print(f"ratio   {ratio:.3f}, on {os.cpu_count()} cores, {options.cells}^3 cells, "
          f"{options.steps} steps")


main()
