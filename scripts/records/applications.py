"""What runs of applications reach: summaries of goban run, their kernels in cache, single figures."""

import re

from records.layout import case_of, rows_of
from records.text import Problem, billions, cells_text, device_of, newest_with, table


def rank(run):
    """Of several runs the fastest is shown, before any that tried ways to launch, too."""
    return (not run.get("launches_tried", False), run["updates_per_second"])


def is_on_one_gpu(run):
    return len(run["devices"]) == 1 and run["devices"][0].startswith("cuda")


def newest_runs(records, app):
    """{(case, cells): (record, run)} on one GPU; a newer run that tried ways to launch replaces none."""
    found = {}
    for record in records:
        here = {}
        for run in record["runs"]:
            if run.get("app") == app and is_on_one_gpu(run):
                key = (case_of(run), tuple(run["cells"]))
                here[key] = max(here.get(key, run), run, key=rank)
        for key, run in here.items():
            if key not in found or rank(found[key][1])[0] < rank(run)[0]:
                found[key] = (record, run)
    return found


def applications(records, options, page):
    app = options.get("app") or ""
    runs = newest_runs(records, app)
    if not runs:
        raise Problem(f"no record named there has runs of '{app}' on one GPU (app=NAME names it)")
    gpus = {device_of(record) for record, _ in runs.values()}
    if len(gpus) > 1:
        raise Problem(f"runs of different GPUs in one table ({', '.join(sorted(gpus))})")
    lines = []
    for (case, cells), (record, run) in sorted(runs.items(), key=lambda item: -item[1][1]["roofline_fraction"]):
        rate = run["updates_per_second"]
        lines.append([f"`{case}.toml`", cells_text(cells), billions(rate), f"{run['bytes_per_update']:.0f}",
                      billions(run["copy_bandwidth"] / run["bytes_per_update"]),
                      f"{run['roofline_fraction']:.2f}", f"{rate * run['flops_per_update'] / 1e12:.1f}",
                      page.link(record)])
    caption = (f"Whole runs on one {gpus.pop()}: what the copy of the bytes of an update, found from the "
               "functors, allows, and the share of it that is reached; the newest run of each case:")
    header = ["case", "cells", "updates a second", "bytes an update", "the copy allows", "share", "TFLOP/s",
              "record"]
    return f"{caption}\n\n{table(header, lines)}"


def resident(records, options, page):
    record, rows = newest_with(records, lambda r: [row for _, row in rows_of(r, "resident")],
                               "rates of kernels in cache")
    lines = []
    for name in dict.fromkeys(row["name"] for row in rows):
        here = [row for row in rows if row["name"] == name]
        best = max(here, key=lambda row: row["sweep_glups"])
        in_cache = max(row["resident_glups"] for row in here)
        rate = best["sweep_glups"]
        lines.append([name, f"{best['flops_per_update']:.0f}", best["variant"], billions(1e9 * rate),
                      f"{rate * best['flops_per_update'] / 1e3:.1f}", billions(1e9 * in_cache),
                      f"{rate / in_cache:.2f}"])
    header = ["sweep", "flops an update", "launch", "updates a second", "TFLOP/s", "in cache", "share"]
    caption = (f"The sweep alone, the best way to launch it, and its own rate on cells that stay in cache "
               f"({page.source(record)}):")
    return f"{caption}\n\n{table(header, lines)}"


# ---- Figures in a text


def run_with(records, words):
    """The newest run whose command has all the words, and none of those after a !; its record."""
    for record in records:
        fitting = [run for run in record["runs"] if "updates_per_second" in run and all(
            (word[1:] not in run["command"]) if word[0] == "!" else word in run["command"]
            for word in words.split())]
        if fitting:
            return record, max(fitting, key=rank)
    raise Problem(f"no run's command has the words '{words}'")


def values_at(entry, path):
    """Of every entry where there is a list."""
    values = [entry]
    for key in path:
        values = [one for value in values for one in (value if isinstance(value, list) else [value])]
        if not all(isinstance(value, dict) and key in value for value in values):
            raise Problem(f"a run has no '{'.'.join(path)}'")
        values = [value[key] for value in values]
    return [one for value in values for one in (value if isinstance(value, list) else [value])]


def shown(value, divisor, less, form):
    if isinstance(value, (str, int)):
        return str(value)
    try:
        value = value / divisor - less
        text = billions(value) if form == "e9" else format(value, form)
    except (TypeError, ValueError):
        raise Problem(f"'{value}' cannot be written as '{form}'") from None
    return re.sub(r"e\+0*", "e", text).replace("%", " %")


def figures(records, options, page):
    """The text of the mark with its fields filled in. A field, {words; path [/ number] [- number]; format},
    is a value of the newest run whose command has the words; {words; record;} is a link to its record."""

    def fill(field):
        words, expression, form = (part.strip() for part in field[1].split(";"))
        parts = re.fullmatch(r"([\w.]+)(?: / ([\d.e+]+))?(?: - ([\d.]+))?", expression)
        if parts is None:
            raise Problem(f"the field {field[0]} is not understood")
        path, divisor, less = parts[1].split("."), float(parts[2] or 1), float(parts[3] or 0)
        record, run = run_with(records, words)
        if path == ["record"]:
            return page.link(record)
        values = values_at(run, path)
        return ", ".join(shown(value, divisor, less, form) for value in values)

    return re.sub(r"\{([^{};]*;[^{};]*;[^{};]*)\}", fill, options["text"])
