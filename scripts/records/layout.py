"""The layout of a record: what benchmarks/records/README.md says, checked."""

import datetime
import json
import re

from records.text import Problem

NUMBER = (int, float)
COMMIT = r"[0-9a-f]{7,40}(-dirty)?|unknown"
OPTIONAL = "optional"

RECORD = {
    "date": str, "machine": dict, "commit": str, "runs": list,
    OPTIONAL: {"case": str, "note": str, "versions": dict, "passed": bool, "steps": list},
}
STEP = {"name": str, "passed": bool, "seconds": NUMBER, OPTIONAL: {"lines": list}}
SUMMARY = {
    "goban": str, "app": str, "cells": list, "steps": int, "updates_per_second": NUMBER,
    "loop_seconds": NUMBER, "bytes_per_update": NUMBER, "flops_per_update": NUMBER,
    "copy_bandwidth": NUMBER, "roofline_fraction": NUMBER, "devices": list, "ranks": int,
    "checksum": (dict, str), "results": dict,
}
RUN = {
    "command": str,
    OPTIONAL: {"note": str, "rows": list, "refused": str, "launches_tried": bool, "outcome": str,
               "balance": list, **SUMMARY},
}
BALANCE = {"outcome": str, "trials": list,
           OPTIONAL: {"kept": int, "step_with_cpu": (float, type(None)), "step_without_cpu": (float, type(None))}}
TRIAL = {"extents": list, "busy": list, "step": NUMBER, OPTIONAL: {"imbalance": NUMBER}}

# What a row of a program has beside "program".
ROWS = {
    "goban-gpu-rates": {
        "name": str, "cells": list, "gpus": int, "boundary": str, "mode": str, "overlap": str,
        "scaling": str, "steps_per_pass": int, "bytes_per_update": NUMBER,
        "updates_per_second": NUMBER, "best_updates_per_second": NUMBER, "copy_bandwidth": NUMBER,
        "share_of_copy": NUMBER, "checksum": str, "same_bits": bool},
    "goban-gpu-schemes": {
        "name": str, "variant": str, "size": str, "glups": NUMBER, "share_of_copy": NUMBER,
        "copy_gbs": NUMBER, "registers": int, "local_bytes": int, "bits_ok": bool, "wrong_words": int},
    "goban-exchange": {
        "name": str, "cells": list, "pieces": list, "ranks": int, "steps_per_exchange": int,
        "chosen": bool, "overlap": str, "seconds_per_step": NUMBER, "updates_per_second": NUMBER,
        "same_bits": bool, OPTIONAL: {"transport": str}},
    "goban-bench": {
        "name": str, "cells": list, "threads": int, "updates_per_second": NUMBER,
        "best_updates_per_second": NUMBER, "of_copy": NUMBER, "copy_bandwidth": NUMBER,
        "bytes_per_update": NUMBER, "flops_per_update": NUMBER},
    "goban-poisson": {
        "cells": list, "levels": int, "cycle_seconds": NUMBER, "share_of_bytes_limit": NUMBER,
        "factor": NUMBER, "solve_seconds": NUMBER, "full_multigrid_seconds": NUMBER,
        "full_multigrid_error": NUMBER, "scheme_error": NUMBER, 
        OPTIONAL: {"corrections": str, "fourier_seconds": NUMBER}},
    "resident": {
        "name": str, "variant": str, "registers": int, "sweep_registers": int,
        "blocks_per_processor": int, "flops_per_update": NUMBER, "resident_glups": NUMBER,
        "sweep_glups": NUMBER, "share": NUMBER},
    "goban-graph500": {
        "scale": int, "devices": str, "ranks": int, "vertices": int, "input_edges": int,
        "searches": int, "validated": int, "generation_seconds": NUMBER,
        "construction_seconds": NUMBER, "search_seconds": NUMBER, "teps": dict,
        "smallest_component": int, "levels": list, "checksum": dict,
        OPTIONAL: {"path_seconds": NUMBER, "path_teps": dict}},
    "model-validation": {
        "name": str, "cells": list, "precision": str, "devices": str, "ranks": int, "patches": list,
        "steps_per_exchange": int, "steps_per_pass": int, "overlap": str, "steps": int,
        "seconds_per_step": NUMBER, "predicted_seconds_per_step": NUMBER, "predicted_parts": dict,
        "bytes_per_update": NUMBER, "flops_per_update": NUMBER,
        OPTIONAL: {"steady": dict, "wall_seconds": NUMBER}},
    "tune-validation": {
        "name": str, "cells": list, "devices": str, "ranks": int, "steps": int, "ways_measured": int,
        "exhaustive_seconds": NUMBER, "best_seconds_per_step": NUMBER, "tune_seconds": NUMBER,
        "tuned_seconds_per_step": NUMBER, "first_seconds_per_step": NUMBER,
        "first_loop_seconds": NUMBER, "tuned_loop_seconds": NUMBER},
    "beside-peers": {
        "name": str, "peer": str, "device": str, "cells": list, "threads": int,
        "updates_per_second": NUMBER, "best_updates_per_second": NUMBER,
        OPTIONAL: {"version": str, "lines": int, "first_seconds": NUMBER, "second_seconds": NUMBER,
                   "steps": int, "difference": NUMBER, "same_bits": bool}},
    "goban": {"extents": list, "imbalance": NUMBER, "adjustments": int, "kept": int},
}
ROWS["goban-gpu-march"] = ROWS["goban-gpu-schemes"]
FAILED = {"failed": bool, "unreadable": str, "title": str, "variant": str}  # left by a program that fails


def check_keys(entry, layout, where):
    if not isinstance(entry, dict):
        raise Problem(f"{where} is no object")
    needed = {key: kind for key, kind in layout.items() if key != OPTIONAL}
    allowed = {**needed, **layout.get(OPTIONAL, {})}
    for key in needed:
        if key not in entry:
            raise Problem(f"{where} has no '{key}' (benchmarks/records/README.md has the layout)")
    for key, value in entry.items():
        if key not in allowed:
            raise Problem(f"{where} has a key '{key}' of which the layout knows nothing "
                          "(benchmarks/records/README.md has the layout)")
        is_misread = isinstance(value, bool) and allowed[key] is not bool
        if is_misread or not isinstance(value, allowed[key]):
            raise Problem(f"{where}: '{key}' is of another kind than benchmarks/records/README.md says")


def check_cells(entry, where):
    for key in ("cells", "pieces"):
        values = entry.get(key, [1, 1, 1])
        if len(values) != 3 or not all(isinstance(n, int) and n > 0 for n in values):
            raise Problem(f"{where}: '{key}' are not three whole numbers")


def check_row(row, where):
    if not isinstance(row, dict) or row.get("program") not in ROWS:
        raise Problem(f"{where} names no program whose rows are known (one of {', '.join(ROWS)})")
    if row.get("failed") or "unreadable" in row:
        check_keys(row, {"program": str, OPTIONAL: FAILED}, where)
        return
    check_keys(row, {"program": str, **ROWS[row["program"]]}, where)
    check_cells(row, where)


def check_run(run, where):
    check_keys(run, RUN, where)
    if run["command"].startswith(("...", "the same")):
        raise Problem(f"{where}: the command is not whole (write it as it was typed)")
    if "app" in run:
        check_keys({key: run[key] for key in run if key in SUMMARY}, SUMMARY, where)
        check_cells(run, where)
        if case_of(run) is None:
            raise Problem(f"{where}: the command names no case file")
        share = run["updates_per_second"] * run["bytes_per_update"] / run["copy_bandwidth"]
        if abs(share - run["roofline_fraction"]) > 1e-3 * share:
            raise Problem(f"{where}: 'roofline_fraction' is not that of its rate, bytes and copy")
    for n, row in enumerate(run.get("rows", []), 1):
        check_row(row, f"{where}, row {n}")
    for balance in run.get("balance", []):
        check_keys(balance, BALANCE, f"{where}, balance")
        for trial in balance["trials"]:
            check_keys(trial, TRIAL, f"{where}, balance, a trial")


def check(record, where):
    check_keys(record, RECORD, where)
    try:
        date = datetime.datetime.fromisoformat(record["date"])
    except ValueError:
        date = None
    if date is None or date.tzinfo is None:
        raise Problem(f"{where}: '{record['date']}' is no date and time with its zone")
    if not re.fullmatch(COMMIT, record["commit"]):
        raise Problem(f"{where}: '{record['commit']}' is no commit (digits, with -dirty where files were "
                      "changed, or unknown; 'note' takes the rest)")
    if not record["runs"] and not record.get("steps"):
        raise Problem(f"{where} has neither runs nor steps")
    for step in record.get("steps", []):
        check_keys(step, STEP, f"{where}, a step")
    for n, run in enumerate(record["runs"], 1):
        check_run(run, f"{where}, run {n}")


def read(path):
    """A record that follows the layout; its path is added."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Problem(f"{path.name} cannot be read ({error})") from None
    check(record, path.name)
    record["path"] = path
    return record


def read_all(folder):
    """All records, the newest first."""
    records = [read(path) for path in sorted(folder.glob("*.json"), reverse=True)]
    return sorted(records, key=lambda r: datetime.datetime.fromisoformat(r["date"]), reverse=True)


# ---- What is in one


def case_of(run):
    found = re.search(r"\bcases/\w+/(\w+)\.toml", run["command"])
    return found[1] if found else None


def rows_of(record, program):
    """With the run they belong to."""
    return [(run, row) for run in record["runs"] for row in run.get("rows", [])
            if row["program"] == program and not row.get("failed") and "unreadable" not in row]
