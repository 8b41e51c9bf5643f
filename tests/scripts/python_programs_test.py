"""The programs of examples/python find what they say: frequencies of a box, orders of convergence,
mass, water and energy that are kept or lost, waves that leave."""

import csv
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, run, skip_if_impossible  # noqa: E402

NUMBER = r"(-?[\d.]+(?:e[+-]\d+)?)"


def numbers(name, folder, pattern):
    """What a program prints, where the pattern has NUMBER."""
    said = run(SOURCE / f"examples/python/{name}.py", folder)
    found = re.findall(pattern.replace("NUMBER", NUMBER), said)
    assert found, said
    return [float(one) for line in found for one in (line if isinstance(line, tuple) else [line])]


def column(file, name):
    with file.open() as lines:
        return [float(row[name]) for row in csv.DictReader(lines)]


def falls(values):
    return all(b < a for a, b in zip(values, values[1:]))


def check_maxwell(folder):
    off = numbers("maxwell", folder, r"mode .* NUMBER%")
    assert len(off) == 4 and max(map(abs, off)) < 0.2, off


def check_cahn_hilliard(folder):
    mass, low, high = numbers("cahn_hilliard", folder, "by NUMBER, c from NUMBER to NUMBER")
    assert abs(mass) < 1e-11 and -1.1 < low < -0.9 and 0.9 < high < 1.1, (mass, low, high)
    energy = column(folder / "out/separation/separation_energy.csv", "free energy")
    assert len(energy) == 51 and falls(energy), energy


def check_advection(folder):
    order, = numbers("advection", folder, "order NUMBER")
    assert order > 4.7, order


def check_shallow_water(folder):
    water, low = numbers("shallow_water", folder, "by NUMBER, h from NUMBER m")
    assert abs(water) < 1e-12 and 0.9 < low < 1.1, (water, low)
    energy = column(folder / "out/shallow_water/shallow_water_energy.csv", "energy")
    assert len(energy) > 5 and falls(energy), energy


def check_waves(folder):
    heard, left = numbers("waves", folder, "most NUMBER, left of it NUMBER")
    assert heard > 0.05 and left < 0.01 * heard, (heard, left)


def check_implicit_heat(folder):
    error, = numbers("implicit_heat", folder, "relative error NUMBER")
    assert error < 1e-8, error


skip_if_impossible()
with tempfile.TemporaryDirectory() as name:
    for check in (check_maxwell, check_cahn_hilliard, check_advection, check_shallow_water,
                  check_waves, check_implicit_heat):
        check(Path(name))
