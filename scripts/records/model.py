"""Predictions beside measurements: what scripts/model_validation.py has found."""

import math
import statistics

from records.layout import rows_of
from records.text import Problem, table


def percentage(share, sign=""):
    return f"{100 * share:{sign}.0f} %"


def errors_of(rows):
    return [row["predicted_seconds_per_step"] / row["seconds_per_step"] - 1 for row in rows]


def line(name, rows):
    errors = errors_of(rows)
    edges = sorted({row["cells"][0] for row in rows})
    of_worst = rows[max(range(len(rows)), key=lambda n: abs(errors[n]))]
    return [name, len(rows), f"{edges[0]}^3 to {edges[-1]}^3",
            percentage(statistics.median(map(abs, errors))), percentage(max(errors, key=abs), "+"),
            ", ".join([of_worst["name"], size_of(of_worst), of_worst["precision"], *plan_of(of_worst)])]


def size_of(row):
    cells = row["cells"]
    return f"{cells[0]}^3" if len(set(cells)) == 1 else " x ".join(map(str, cells))


def patches_of(row):
    return math.prod(row["patches"])


def plan_of(row):
    """What is not as usual about it."""
    plan = []
    if row["steps_per_pass"] > 1:
        plan.append(f"{row['steps_per_pass']} steps a pass")
    elif row["steps_per_exchange"] > 1:
        plan.append(f"R = {row['steps_per_exchange']}")
    return plan + ([row["overlap"]] if row["overlap"] != "none" else [])


def model(records, options, page):
    """Of the newest record; an error of +10 % says that a tenth more time was predicted than measured."""
    for record in records:
        rows = [row for _, row in rows_of(record, "model-validation")]
        if rows:
            break
    else:
        raise Problem("no record named there compares predictions")
    groups = {"all": rows}
    for row in rows:
        groups.setdefault("single sweeps" if row["steps_per_pass"] == 1 else "steps in one pass", []).append(row)
    for row in rows:
        if row["ranks"] > 1:
            groups.setdefault(f"{row['ranks']} ranks", []).append(row)
        if patches_of(row) > 1:
            groups.setdefault(row["overlap"].replace("none", "no overlap"), []).append(row)
            groups.setdefault(f"R = {row['steps_per_exchange']}", []).append(row)
            is_cube = len(set(row["cells"])) == 1
            groups.setdefault("cubes" if is_cube else "a cube for each device", []).append(row)
    for row in rows:
        groups.setdefault(row["name"], []).append(row)
    header = ["", "configurations", "cells", "median error", "worst", "of"]
    return table(header, [line(name, members) for name, members in groups.items()]) + f"\n\n{page.source(record)}"


def tuning(records, options, page):
    """Of every case the newest."""
    found = {}
    for record in records:
        for _, row in rows_of(record, "tune-validation"):
            found.setdefault((row["name"], tuple(row["cells"]), row["devices"], row["ranks"]), (record, row))
    if not found:
        raise Problem("no record named there compares what was tuned")
    lines = []
    for (name, cells, devices, ranks), (record, row) in sorted(found.items()):
        best = row["best_seconds_per_step"]
        lines.append([name, f"{cells[0]}^3", devices.split(", ")[0], row["ways_measured"],
                      percentage(row["tuned_seconds_per_step"] / best - 1, "+"),
                      percentage(row["first_seconds_per_step"] / best - 1, "+"), page.link(record)])
    header = ["", "cells", "", "plans", "tuned, against the fastest", "first run, against it", "record"]
    return table(header, lines)
