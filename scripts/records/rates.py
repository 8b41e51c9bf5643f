"""What GPUs reach: one with every kernel, several of one host. From goban-gpu-rates, its hand-written
twins from goban-gpu-schemes, processes with a GPU each from goban-exchange."""

import math

from records.layout import rows_of
from records.text import KERNELS, ORDER, cells_text, device_of, newest_with, number, table

TWINS = {"heat7_float": "heat7 fp32", "heat7_double": "heat7 fp64", "heat25_float": "heat25 fp32",
         "life": "life", "d3q19_float": "d3q19 fp32", "d3q19_half": "d3q19 fp16"}


def glups(rate):
    return rate["updates_per_second"] / 1e9


# ---- One GPU


def single_rates(record):
    """With their shares of the fastest copy of the run: single measurements of it vary by a tenth."""
    rates = [row for _, row in rows_of(record, "goban-gpu-rates")]
    copy = max((r["copy_bandwidth"] for r in rates), default=1)
    return [{**r, "share_of_copy": r["updates_per_second"] * r["bytes_per_update"] / copy}
            for r in rates if r["gpus"] == 1 and r["scaling"] == "none" and r["name"] in KERNELS]


def best_twin(record, name, cells):
    """GLUP/s of the fastest one-sweep twin on two arrays whose bits are right; None without one."""
    rates = [s["glups"] for _, s in rows_of(record, "goban-gpu-schemes")
             if s["name"] == TWINS.get(name) and s["bits_ok"] and s["size"] == "x".join(map(str, cells))
             and "in place" not in s["variant"]]
    return max(rates, default=None)


def single_rows(record):
    """(kernel, cells, sweeps, passes or None, twin's rate or None) of constant boundaries."""
    rates = [r for r in single_rates(record) if r["boundary"] == "constant"]
    rows = []
    for name, cells in sorted({(r["name"], tuple(r["cells"])) for r in rates},
                              key=lambda key: (ORDER.index(key[0]), key[1])):
        here = {r["mode"]: r for r in rates if r["name"] == name and tuple(r["cells"]) == cells}
        if "sweeps" in here:
            passes = here.get("open")
            if passes and passes["steps_per_pass"] == 1:
                passes = None  # single sweeps were faster
            rows.append((name, cells, here["sweeps"], passes, best_twin(record, name, cells)))
    return rows


def single(records, options, page):
    record, rows = newest_with(records, single_rows, "rates of one GPU")
    copies = [r["copy_bandwidth"] / 1e9 for r in single_rates(record)]
    copy = " to ".join(dict.fromkeys(f"{c:.0f}" for c in (min(copies), max(copies))))
    lines = []
    for name, cells, sweep, passes, twin in rows:
        columns = [KERNELS[name], cells_text(cells), number(glups(sweep)),
                   f"{sweep['share_of_copy']:.2f}", f"{glups(sweep) / twin:.3f}" if twin else ""]
        lines.append(columns + ([f"{number(glups(passes))} (T = {passes['steps_per_pass']})",
                                 f"{passes['share_of_copy']:.2f}"] if passes else ["", ""]))
    caption = (f"One {device_of(record)}, device memcpy {copy} GB/s in the same run, constant "
               f"boundaries ({page.source(record)}):")
    header = ["kernel", "cells", "one sweep, GLUP/s", "share of copy", "of hand-written twin",
              "passes, GLUP/s", "share of copy"]
    return f"{caption}\n\n{table(header, lines)}"


# ---- Several GPUs


def rates_of_processes(record):
    """Rows of goban-exchange with a process for every GPU, as if they were of goban-gpu-rates."""
    rates = []
    for _, row in rows_of(record, "goban-exchange"):
        gpus = math.prod(row["pieces"])
        if row["ranks"] != gpus or row["chosen"] or row["steps_per_exchange"] != 1:
            continue
        piece = [n // parts for n, parts in zip(row["cells"], row["pieces"])]
        kinds = ["none"] if gpus > 1 else ["weak", "strong"]  # one GPU is where both begin
        if gpus > 1:
            kinds = ["weak" if len(set(piece)) == 1 else "strong"]
        rates += [{**row, "gpus": gpus, "scaling": kind, "mode": "sweeps"} for kind in kinds]
    return rates


def scaling_rows(record):
    """((is strong, -edge, place of the kernel, cells, mode), {GPUs: best rate}) of one and of several."""
    groups = {}
    rates = [row for _, row in rows_of(record, "goban-gpu-rates")] or rates_of_processes(record)
    for r in rates:
        if r["scaling"] == "none" or r["name"] not in KERNELS:
            continue
        x, y, z = r["cells"]
        edge = (x, y, z // r["gpus"]) if r["scaling"] == "weak" else (x, y, z)
        key = (r["scaling"] == "strong", -x, ORDER.index(r["name"]), edge, r["mode"])
        best = groups.setdefault(key, {})
        if r["gpus"] not in best or r["updates_per_second"] > best[r["gpus"]]["updates_per_second"]:
            best[r["gpus"]] = r
    return [(key, groups[key]) for key in sorted(groups) if 1 in groups[key] and len(groups[key]) > 1]


def scaling(records, options, page):
    record, rows = newest_with(records, scaling_rows, "rates of one and of several GPUs")
    counts = sorted({n for _, best in rows for n in best})
    lines = []
    for (is_strong, _, order, cells, mode), best in rows:
        columns = [KERNELS[ORDER[order]], cells_text(cells) + (" in all" if is_strong else " per GPU"),
                   "sweeps" if mode == "sweeps" else "as goban chooses"]
        for n in counts:
            if n not in best:
                columns.append("")
                continue
            share = glups(best[n]) / (n * glups(best[1]))
            columns.append(number(glups(best[n])) + (f" ({share:.3f})" if n > 1 else ""))
        lines.append(columns)
    how = "in one process" if rows_of(record, "goban-gpu-rates") else "with a process each, periodic grids"
    caption = (f"Several {device_of(record)} {how}, GLUP/s and share of as many times one "
               f"GPU's rate, the best overlap of each ({page.source(record)}):")
    header = ["kernel", "cells", "steps"] + [f"{n} GPU" + ("s" if n > 1 else "") for n in counts]
    return f"{caption}\n\n{table(header, lines)}"
