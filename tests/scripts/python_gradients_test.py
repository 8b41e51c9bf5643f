"""Gradients of scripts are those of differences, with the same bits on cuts and devices
(tests/python/gradients.py); the examples find what they look for."""

import importlib.util
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, run, skip_if_impossible  # noqa: E402


def numbers(pattern, name, folder, *arguments):
    """What an example prints, where the pattern has N."""
    said = run(SOURCE / f"examples/python/{name}.py", folder, *arguments)
    found = re.search(pattern.replace("N", r"(-?[\d.]+(?:e[+-]\d+)?)"), said, re.S)
    assert found, said
    return list(map(float, found.groups()))


def check_examples(folder):
    first, last = numbers("misfit N -> N,", "conductivity", folder)
    assert last < 0.05 * first, (first, last)
    off, closer, order, first, last, inside, outside = numbers(
        "are N and N off: order N.*misfit N -> N,.*in the box N km/s, around it N km/s",
        "inversion", folder, "--small")
    assert closer < off < 1e-4 and 1.9 < order < 2.1, (off, closer, order)
    assert last < 0.01 * first and inside < 2.35 and outside > 2.45, (first, last, inside, outside)
    first, last, crest, _, trough, _ = numbers(
        r"misfit N -> N; the crest is N m high of N, the trough N m of N", "gauges", folder)
    assert last < 0.01 * first and crest > 1 and trough < -0.5, (first, last, crest, trough)


skip_if_impossible()
with tempfile.TemporaryDirectory() as folder:
    found = set()
    for arguments in [], ["--goban-patches", "2,1,1"], ["--goban-devices", "emulated:0,1",
                                                        "--goban-delay", "0"]:
        run(SOURCE / "tests/python/gradients.py", folder, *arguments)
        found.add((Path(folder) / "checksums").read_text())
    assert len(found) == 1, "other bits on other cuts"
    if importlib.util.find_spec("scipy"):
        check_examples(folder)
    else:
        print("no SciPy here: the examples were not run")
