"""What exchanging halos costs: rows of goban-exchange."""

import math
import re

from records.layout import rows_of
from records.text import KERNELS, ORDER, Problem, cells_text, counted, device_of, newest_with, number, table

TRANSPORTS = ["none", "peer", "nccl", "mpi", "host"]
OVERLAPS = {"none": "no overlap", "one-kernel": "one-kernel", "two-kernel": "two-kernel"}


def measured(record):
    """Rows with what is not written in them: devices, edge of a piece, is the whole grid the cube."""
    found = []
    for run, row in rows_of(record, "goban-exchange"):
        piece = [n // parts for n, parts in zip(row["cells"], row["pieces"])]
        is_strong = len(set(piece)) > 1
        link = re.search(r"--goban-link (\S+)", run["command"])
        found.append({**row, "devices": math.prod(row["pieces"]), "is_strong": is_strong,
                      "cube": row["cells"] if is_strong else piece, "link": link[1] if link else "",
                      "microseconds": 1e6 * row["seconds_per_step"]})
    return sorted(found, key=lambda r: ORDER.index(r["name"]))


def way_of(row):
    if row["ranks"] == 1:
        return "one process"
    return f"{counted(row['ranks'], 'process')}, `{row.get('transport', 'auto')}`"


def columns_of(keys):
    """Overlap and steps per exchange, as heads of columns."""
    return [OVERLAPS[overlap] + (f", R = {steps}" if steps > 1 else "") for steps, overlap in keys]


# ---- Shares of as many devices


def shares_in(record):
    """{(kernel, cells, way): {(steps, overlap): share}} where one device was measured, too; its times."""
    rows = [r for r in measured(record) if not r["chosen"]]
    single = {(r["name"], tuple(r["cells"])): r for r in rows
              if r["devices"] == 1 and r["steps_per_exchange"] == 1 and r["overlap"] == "none"}
    several = [r for r in rows if r["devices"] > 1 and (r["name"], tuple(r["cube"])) in single]
    several.sort(key=lambda r: (ORDER.index(r["name"]), -math.prod(r["cube"]), r["is_strong"], r["ranks"],
                                TRANSPORTS.index(r.get("transport", "none"))))
    shares, times = {}, {}
    for r in several:
        one = single[r["name"], tuple(r["cube"])]
        grid = cells_text(r["cube"]) + (" in all" if r["is_strong"] else " each")
        share = r["updates_per_second"] / (r["devices"] * one["updates_per_second"])
        row = shares.setdefault((KERNELS[r["name"]], grid, way_of(r)), {})
        row[r["steps_per_exchange"], r["overlap"]] = share
        times[f"{KERNELS[r['name']]} at {cells_text(r['cube'])}"] = number(one["microseconds"])
    return (shares, times, max(r["devices"] for r in several)) if several else None


def shares(records, options, page):
    record, (rows, times, devices) = newest_with(records, shares_in, "steps of one and of several devices")
    keys = sorted({key for row in rows.values() for key in row},
                  key=lambda key: (key[0], list(OVERLAPS).index(key[1])))
    lines = [[*names, *(f"{row[key]:.3f}" if key in row else "" for key in keys)]
             for names, row in rows.items()]
    of_one = ", ".join(f"{name} {time}" for name, time in times.items())
    caption = (f"Share of {devices} times one {device_of(record)}, whose steps take, in us: "
               f"{of_one} ({page.source(record)}):")
    return f"{caption}\n\n{table(['kernel', 'cells', 'halos', *columns_of(keys)], lines)}"


# ---- Ghost expansion


def expansion_in(record):
    """{(kernel, cells, link): {steps or "chosen": row}} where runs chose, too."""
    rows = [r for r in measured(record) if r["ranks"] > 1 and r["overlap"] == "none" and not r["is_strong"]]
    chosen = {(r["name"], tuple(r["cube"]), r["link"]): {"chosen": r} for r in rows if r["chosen"]}
    for r in rows:
        row = chosen.get((r["name"], tuple(r["cube"]), r["link"]))
        if row is None or r is row["chosen"]:
            continue
        if r["chosen"] or r["steps_per_exchange"] in row:
            raise Problem(f"{record['path'].name} has several ways in which {r['name']} exchanges halos")
        row[r["steps_per_exchange"]] = r
    return chosen


def expansion(records, options, page):
    record, found = newest_with(records, expansion_in, "steps of every R and of what runs chose")
    rows = sorted(found.items(), key=lambda item: (item[0][1], item[0][2] != "", ORDER.index(item[0][0])))
    steps = sorted({key for _, row in rows for key in row if key != "chosen"})
    has_links = any(link for (_, _, link), _ in rows)
    lines = []
    for (name, cube, link), row in rows:
        line = [KERNELS[name], cells_text(cube)] + ([link or "as it is"] if has_links else [])
        line += [number(row[n]["microseconds"]) if n in row else "" for n in steps]
        chosen = row["chosen"]
        lines.append(line + [f"{number(chosen['microseconds'])} ({chosen['steps_per_exchange']})"])
    ways = sorted({way_of(r) for _, row in rows for r in row.values()})
    header = ["kernel", "cells each"] + (["link"] if has_links else [])
    header += [f"R = {n}" for n in steps] + ["chosen by the run"]
    caption = f"Microseconds a step, {' and '.join(ways)} ({page.source(record)}):"
    return f"{caption}\n\n{table(header, lines)}"


# ---- From one record to the next


def step_times(records, options, page):
    """Single steps of processes with a device each, the fastest transport, a column for each record."""
    columns = []
    for record in reversed(records):
        best = {}
        for r in measured(record):
            if (r["ranks"] == r["devices"] > 1 and r["overlap"] == "none" and not r["chosen"]
                    and r["steps_per_exchange"] == 1 and not r["is_strong"] and not r["link"]):
                key = (ORDER.index(r["name"]), tuple(r["cube"]), r["ranks"])
                best[key] = min(best.get(key, math.inf), r["microseconds"])
        columns.append((record, best))
    counts = [key for _, best in columns for key in best]
    keys = sorted({key for key in counts if counts.count(key) > 1})
    if not keys:
        raise Problem("the records named there have no steps of the same processes")
    lines = [[KERNELS[ORDER[name]], cells_text(cube), ranks,
              *(number(best[name, cube, ranks]) if (name, cube, ranks) in best else "" for _, best in columns)]
             for name, cube, ranks in keys]
    header = ["kernel", "cells each", "processes"]
    header += [f"{record['date'][:16].replace('T', ' ')}, {page.link(record)}" for record, _ in columns]
    caption = (f"Microseconds a single step of processes with one {device_of(columns[0][0])} each, no "
               "overlap, the fastest way that halos took:")
    return f"{caption}\n\n{table(header, lines)}"
