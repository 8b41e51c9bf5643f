#!/usr/bin/env python3
"""Which numbers of a machine file the performance model needs (docs/model.md): predicts the rows of a
record of scripts/model_validation.py on paper, each time without one number of its machine file, and
prints the errors beside what was measured.

usage: scripts/numbers_that_matter.py RECORD.json ... [--goban PROGRAM]

A rate of operations is left out by making it infinite, another number by leaving out its line. Machine
files of another format than that of the program are refused; those of format 6 are translated."""

import argparse
import json
import math
import re
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from model_validation import CASES, QUIET, ROOT

# Not fitted to sweeps: what the machine is, and links.
GIVEN = ["format", "name", "source", "host", "quick", "kind", "devices_per_node", "devices_per_network_link",
         "memory", "watts", "memory_bandwidth", "multiprocessors", "latency", "bandwidth"]
OPERATIONS = ["single_precision", "double_precision", "integer"]
DEVIATIONS = re.compile(r"^deviations = \[\n.*?^\]\n", re.DOTALL | re.MULTILINE)
STEP = re.compile(r"([\d.e+-]+) (s|ms|us|ns) +[\d.e+-]+ \w?LUP/s")
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def in_format_7(text):
    text = re.sub(r"^(integer_reads|integer_moves|fill|send|loop_launch) = .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^gather = \[(\S+), (\S+), .*$", r"gather = \1\ngather_in_rows = \2", text, flags=re.MULTILINE)
    text = re.sub(r"^sends = \[(\S+), \S+, (\S+)\].*$", r"end_sends = \1\nplane_sends = \2", text, flags=re.MULTILINE)
    return text.replace("format = 6", "format = 7")


def variants(text):
    """Machine files by the number that each lacks."""
    found = {"all numbers": text, "deviations": DEVIATIONS.sub("", text)}
    for key, line in re.findall(r"^((\w+) = [^\[\n].*)$", text, re.MULTILINE):
        key, line = line, key
        if key in OPERATIONS:
            found[key] = text.replace(line, f"{key} = 1e18")
        elif key not in GIVEN:
            found[key] = text.replace(line, f"{key} = 1.0" if key in ("overlap_exponent", "blocking_efficiency") else "")
    caches = re.search(r"^caches = \[(.*)\]", text, re.MULTILINE)
    if caches:
        found["caches"] = text.replace(caches[1], "")
    return found


def seconds_of(goban, row, machine, folder):
    case = folder / f"{row['name']}-{'x'.join(map(str, row['cells']))}.toml"
    if not case.exists():
        case.write_text(CASES[row["name"]].format(cells=row["cells"], steps=1000) + QUIET)
    devices = math.prod(row["patches"])
    words = [goban, "predict", case, "--machine", machine, "--devices", devices,
             f"run.steps_per_exchange={row['steps_per_exchange']}", f"run.temporal_blocking={row['steps_per_pass']}",
             f"run.overlap={row['overlap']}"]
    if row["name"] != "life":
        words.append(f"run.precision={row['precision']}")
    if devices > 1:
        words.append(f"run.patches={row['patches']}")
    text = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True).stdout
    value, unit = STEP.search(text).groups()
    return float(value) * UNITS[unit]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("records", nargs="+")
    parser.add_argument("--goban", default=str(ROOT / "goban"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as pool:
        folder = Path(name)
        for record in options.records:
            run = json.loads(Path(record).read_text())["runs"][0]
            rows = [row for row in run["rows"] if row["program"] == "model-validation"]
            print(f"{record}: {len(rows)} rows, without")
            for number, text in variants(in_format_7(run["note"].split("Machine file:\n")[1])).items():
                machine = folder / "machine.toml"
                machine.write_text(text)
                found = list(pool.map(lambda row: seconds_of(options.goban, row, machine, folder), rows))
                ratios = [seconds / row["seconds_per_step"] for seconds, row in zip(found, rows)]
                errors = [abs(ratio - 1) for ratio in ratios]
                mean = statistics.mean(abs(math.log(ratio)) for ratio in ratios)
                print(f"  {number:<20} median error {100 * statistics.median(errors):5.1f} %, mean {100 * mean:5.1f} %, "
                      f"worst {100 * max(errors):5.1f} %", flush=True)


if __name__ == "__main__":
    main()
