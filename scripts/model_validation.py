#!/usr/bin/env python3
"""Compares what the performance model predicts with what runs measure (docs/model.md), on this machine:
calibrates it, runs small cases of every application in every way there is, and reads from the summary
of each run what a step was predicted to take and what it took once nothing was tried or compiled any
more. Then every case is tuned, and the result compared with the fastest of all these runs and with a
first run of an untuned program.

usage: scripts/model_validation.py [--goban PROGRAM] [--devices cpu|cuda:0 ...] [--threads N]
           [--launcher "mpirun -n 2"] [--backend emulated --patches 2,1,1] [--machine FILE]
           [--cases heat2,life ...] [--cells 128,256 ...] [--long N] [--seconds S] [--run-seconds S]
           [--repeat N] [--seed N]
           [--tune heat2,...|none] [--records DIR]

Grids are cubes (the same for any number of devices: strong scaling); with --long N each is measured N
times as long along z, too (a cube for each of N devices: weak scaling).

A line for every configuration, the median and the worst error at the end; --records also writes
<date>-<machine>-model.json there (benchmarks/records/README.md has the layout). When --seconds are over
the rest is left out and counted; tuning comes after that. What --machine names is not calibrated anew. Exit code 1 if nothing
could be compared.
"""

import argparse
import concurrent.futures
import datetime
import itertools
import json
import math
import os
import random
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from records.machine import machine_of, output_of

ROOT = Path(__file__).resolve().parents[1]

CASES = {
    "heat2": 'app = "heat"\n[medium]\nconductivity = 130\nheat_capacity = 1.63e6\n'
             '[grid]\ncells = {cells}\nspacing = "1 mm"\n[time]\nsteps = {steps}\n',
    "life": 'app = "life"\n[grid]\ncells = {cells}\n[time]\nsteps = {steps}\n[initial]\nsoup = 12\n',
    "d3q19": 'app = "lbm"\n[grid]\ncells = {cells}\nspacing = 0.1\n[time]\nsteps = {steps}\n'
             '[flow]\nviscosity = 1e-2\nspeed = 1\n'
             '[initial]\nstate = "taylor_green"\nvelocity = [1, 0, 0]\n',
    "seismic": 'app = "seismic"\n[grid]\ncells = {cells}\nspacing = 10\n[time]\nsteps = {steps}\n'
               '[[layer]]\nvp = 4000\nvs = 2300\ndensity = 2500\n'
               '[[source]]\nposition = [300, 300, 300]\nmoment = [0, 0, 0, 3e17, 0, 0]\n'
               'time = "gaussian"\nduration = 0.3\n',
    "dendrite": 'app = "dendrite"\nmodel = "alloy"\n[grid]\ncells = {cells}\nspacing = "10 nm"\n'
                '[time]\nsteps = {steps}\n[alloy]\ncomposition = 3\nkinetic_coefficient = 0.03\n'
                'anisotropy = 0.05\n[temperature]\nundercooling = 14\n'
                '[[nucleus]]\ncenter = [0, 0, 0]\nradius = "80 nm"\n',
    "flow": 'app = "flow"\n[grid]\ncells = {cells}\nspacing = 0.1\n[time]\nsteps = {steps}\n'
            '[flow]\nviscosity = 1e-2\n[[initial]]\nfield = "velocity_x"\nshape = "mode"\n'
            'functions = ["sine", "cosine", "cosine"]\n[[initial]]\nfield = "velocity_y"\nshape = "mode"\n'
            'value = -1\nfunctions = ["cosine", "sine", "cosine"]\n',
}
CASES["heat8"] = CASES["heat2"] + "[scheme]\norder = 8\n"
# Nothing happens between steps.
QUIET = ("[output.series]\nevery = 1000000000\nat_end = false\n[checkpoint]\nat_end = false\n"
         "[run]\nnan_check = 120\n")

# About, until a run says it.
BYTES = {"heat2": 8, "heat8": 8, "life": 2, "d3q19": 152, "seismic": 180, "dendrite": 40, "flow": 700}
# How much longer a step of a small grid takes than its bytes, until it has been measured.
SLOWER = {"heat2": 1.5, "heat8": 3, "life": 5, "d3q19": 2, "seismic": 3, "dendrite": 5, "flow": 8}
# Along an edge: of fields in cache, and of many times as much.
GPU_CELLS = {"heat2": [96, 128, 192, 320, 512], "heat8": [96, 192, 320, 512],
             "life": [160, 256, 320, 640, 1024], "d3q19": [64, 96, 128, 256],
             "seismic": [64, 96, 128, 256], "dendrite": [96, 160, 256, 320], "flow": [64, 96, 128, 192]}
CPU_CELLS = {"heat2": [48, 128, 256], "heat8": [48, 128, 256], "life": [96, 256], "d3q19": [24, 64, 96],
             "seismic": [32, 96], "dendrite": [48, 96], "flow": [32, 64]}
# Of every plan that is measured: there are no shorter cycles at the end, or where values are looked at.
WHOLE_CYCLES = 24
# Share of their time that steady steps may take longer than the fastest of them.
MOST_HELD_UP = 0.25
# Whose steps are of different length: how often the pressure is improved.
UNEVEN = ["flow"]
# Along an edge: larger grids have the same kernels.
ENOUGH_FOR_KERNELS = 160
GPU_PASSES = {"heat2": [1, 4]}
CPU_PASSES = {"heat2": [1, 2, 4, 8], "heat8": [1, 2, 4], "life": [1, 2, 4], "d3q19": [1, 2]}
DOUBLE = ["heat2", "heat8", "d3q19", "seismic", "dendrite", "flow"]


class Configuration:
    """One way to run a case."""

    def __init__(self, name, cells, precision, plan):
        self.name, self.cells, self.precision, self.plan = name, list(cells), precision, plan

    def overrides(self):
        keys = [] if self.name == "life" else [f"run.precision={self.precision}"]
        return keys + [f"run.{key}={value}" for key, value in self.plan.items()]

    def grid(self):
        return "x".join(map(str, self.cells))

    def text(self):
        plan = ", ".join(f"{key} {value}" for key, value in self.plan.items())
        return f"{self.name} {self.grid()} {self.precision} {plan}"


def why_not_steady(summary, name):
    """Empty: after it had tried what there is it went on for long enough, and nothing held it up."""
    steady = summary["steady"]
    if not steady or steady["steps"] < 12:
        return "nothing but trials"
    slower = steady["seconds"] / steady["steps"] / steady["fastest"] - 1
    is_gpu = summary["devices"][0].startswith("cuda")  # many steps at a time: others hardly matter
    is_held_up = is_gpu and name not in UNEVEN and slower > MOST_HELD_UP
    return f"it was held up: steps took {100 * slower:.0f} % longer than the fastest" if is_held_up else ""


def seconds_of_step(summary):
    return summary["steady"]["seconds"] / summary["steady"]["steps"]


class Validation:
    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)
        self.start = time.monotonic()
        self.launcher = shlex.split(options.launcher)
        self.bandwidth = 2e10
        self.devices = len(options.devices.split(","))
        self.bytes, self.slower = dict(BYTES), dict(SLOWER)
        self.rows, self.left_out = [], 0
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"),
                            "GOBAN_KERNEL_CACHE": str(self.folder / "kernels")}
        self.machine_file = options.machine or str(self.folder / "machine.toml")

    def seconds(self):
        return time.monotonic() - self.start

    def is_over(self):
        return self.seconds() > self.options.seconds

    def call(self, *words, ranks=True, timeout=120, **environment):
        command = [*(self.launcher if ranks else []), self.options.goban, *map(str, words)]
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout,
                                  env={**self.environment, **environment}, check=False)
        except subprocess.TimeoutExpired:
            return False, f"did not end in {timeout} s"
        return done.returncode == 0, done.stdout + done.stderr

    def machine_keys(self):
        options = self.options
        keys = [f"run.devices={options.devices}", f"run.machine={self.machine_file}"]
        if options.threads:
            keys.append(f"run.threads={options.threads}")
        if options.backend:
            keys.append(f"run.backend={options.backend}")
        if options.patches:
            keys.append("run.patches=[" + options.patches + "]")
        return keys

    def calibrate(self):
        if not self.options.machine:
            words = ["calibrate", "--devices", self.options.devices, "--out", self.machine_file,
                     "--folder", self.folder]
            if self.options.threads:
                words += ["--threads", self.options.threads]
            is_done, text = self.call(*words, timeout=300)
            print(text, flush=True)
            if not is_done:
                sys.exit("model_validation: error: the machine cannot be calibrated")
        found = re.search(r"^memory_bandwidth = (\S+)", Path(self.machine_file).read_text(), re.MULTILINE)
        self.bandwidth = float(found[1])

    def case(self, configuration, steps):
        path = self.folder / f"{configuration.name}-{configuration.grid()}.toml"
        path.write_text(CASES[configuration.name].format(cells=configuration.cells, steps=steps) + QUIET)
        return path

    def step_by_bytes(self, configuration):
        wide = 2 if configuration.precision == "float64" else 1
        values = wide * self.bytes[configuration.name] * math.prod(configuration.cells)
        return max(values / (self.bandwidth * self.devices), 3e-6)

    def steps_for(self, configuration, seconds):
        steps = seconds / (self.step_by_bytes(configuration) * self.slower[configuration.name])
        return max(2, math.ceil(steps / WHOLE_CYCLES)) * WHOLE_CYCLES

    def precompile(self, configurations):
        """All kernels side by side, as many programs as there are cores to four of each."""
        if not self.options.devices.startswith("cuda"):
            return
        wanted = {}
        for one in configurations:
            long = one.cells[2] // one.cells[0]
            wanted.setdefault((one.name, one.precision, long, tuple(one.plan.items())), one)

        def compile_one(one):
            case = self.folder / f"kernels-{one.text().replace(' ', '-').replace(',', '')}.toml"
            edge = min(one.cells[0], ENOUGH_FOR_KERNELS)
            cells = [edge, edge, edge * (one.cells[2] // one.cells[0])]
            case.write_text(CASES[one.name].format(cells=cells, steps=WHOLE_CYCLES) + QUIET)
            return one, self.call("precompile", case, *one.overrides(), "--arch", self.options.arch,
                                  "--gpus", self.devices, ranks=False)

        with concurrent.futures.ThreadPoolExecutor(max(1, os.cpu_count() // 2)) as pool:
            for one, (is_done, text) in pool.map(compile_one, wanted.values()):
                if not is_done:
                    print(f"{one.text()}: {text.strip().splitlines()[-1]}")
        print(f"kernels of {len(wanted)} programs compiled, {self.seconds():.0f} s so far", flush=True)

    def run(self, configuration, seconds, **environment):
        """The summary, or why there is none."""
        steps = self.steps_for(configuration, seconds)
        summary = self.folder / "summary.json"
        summary.unlink(missing_ok=True)
        is_done, text = self.call("run", self.case(configuration, steps), *configuration.overrides(),
                                  *self.machine_keys(), "--overwrite", "--out", self.folder / "run",
                                  "--summary", summary, **environment)
        if not is_done or not summary.exists():
            lines = text.strip().splitlines() or ["nothing was said"]
            return None, lines[-1]
        found = json.loads(summary.read_text())
        self.bytes[configuration.name] = found["bytes_per_update"] / (2 if configuration.precision == "float64" else 1)
        return found, ""

    def measure(self, configuration):
        if self.is_over():
            self.left_out += 1
            return
        best = None
        for _ in range(self.options.repeat):
            summary, problem = self.run(configuration, self.options.run_seconds)
            if summary is not None and why_not_steady(summary, configuration.name):
                summary, problem = self.run(configuration, 4 * self.options.run_seconds)
            if summary is not None and why_not_steady(summary, configuration.name):
                summary, problem = None, why_not_steady(summary, configuration.name)
            if summary is None or not summary["predicted_step"]:
                print(f"{configuration.text()}: {problem or 'nothing to compare'}", flush=True)
                return
            if configuration.plan["temporal_blocking"] != summary["steps_per_pass"]:
                return  # it cannot be run so
            seconds = seconds_of_step(summary)
            self.slower[configuration.name] = seconds / self.step_by_bytes(configuration)
            if best is None or seconds < best["seconds_per_step"]:
                step = summary["predicted_step"]
                best = {"program": "model-validation", "name": configuration.name, "cells": summary["cells"],
                        "precision": configuration.precision, "devices": summary["devices"][0],
                        "ranks": summary["ranks"], "patches": summary["patches"],
                        "steps_per_exchange": summary["steps_per_exchange"],
                        "steps_per_pass": summary["steps_per_pass"], "overlap": summary["overlap"],
                        "steps": summary["steady"]["steps"], "seconds_per_step": seconds,
                        "predicted_seconds_per_step": step["seconds"], "predicted_parts": step,
                        "wall_seconds": summary["wall_seconds"],
                        "steady": summary["steady"], "bytes_per_update": summary["bytes_per_update"],
                        "flops_per_update": summary["flops_per_update"]}
        self.rows.append(best)
        error = best["predicted_seconds_per_step"] / best["seconds_per_step"] - 1
        print(f"{configuration.text()}: {best['seconds_per_step'] * 1e6:.4g} us, predicted "
              f"{best['predicted_seconds_per_step'] * 1e6:.4g} us ({100 * error:+.1f} %)", flush=True)

    def fastest_run(self, configuration, **environment):
        """Of as many as every plan had: disturbances only add."""
        runs = [self.run(configuration, 3 * self.options.run_seconds, **environment)
                for _ in range(self.options.repeat)]
        steady = [summary for summary, _ in runs if summary is not None and summary["steady"]]
        return min(steady, key=seconds_of_step, default=None), runs[-1][1]

    def tune(self, name, edge):
        """The tuner beside all that was measured of the case, and a first run of it."""
        all_runs = [row for row in self.rows if row.get("name") == name and row.get("precision") == "float32"
                    and row["cells"] == [edge] * 3 and row["program"] == "model-validation"]
        if not all_runs:
            return
        best = min(all_runs, key=lambda row: row["seconds_per_step"])
        free = Configuration(name, [edge] * 3, "float32", {})
        # Kernels are compiled, how they are launched has to be found out.
        first, problem = self.fastest_run(free, XDG_CACHE_HOME=str(self.folder / "first"))
        start = time.monotonic()
        is_done, text = self.call("tune", self.case(free, 100), *self.machine_keys(), "--seconds",
                                  self.options.tune_seconds)
        seconds = time.monotonic() - start
        tuned, problem = self.fastest_run(free)
        if not is_done or first is None or tuned is None:
            print(f"tuning {name} {edge}^3: {problem or text.strip().splitlines()[-1]}", flush=True)
            return
        step_of = {"first": seconds_of_step(first), "tuned": seconds_of_step(tuned)}
        row = {"program": "tune-validation", "name": name, "cells": tuned["cells"], "devices": tuned["devices"][0],
               "ranks": tuned["ranks"], "ways_measured": len(all_runs),
               "exhaustive_seconds": sum(row["steps"] * row["seconds_per_step"] for row in all_runs),
               "best_seconds_per_step": best["seconds_per_step"], "tune_seconds": seconds,
               "tuned_seconds_per_step": step_of["tuned"], "first_seconds_per_step": step_of["first"],
               "first_loop_seconds": first["loop_seconds"], "tuned_loop_seconds": tuned["loop_seconds"],
               "steps": first["steps"]}
        self.rows.append(row)
        print(f"tuning {name} {edge}^3: best of {len(all_runs)} {1e6 * best['seconds_per_step']:.4g} us, tuned "
              f"{1e6 * step_of['tuned']:.4g} us in {seconds:.1f} s, first run {1e6 * step_of['first']:.4g} us; "
              f"loop {first['loop_seconds']:.3g} s and {tuned['loop_seconds']:.3g} s", flush=True)

    def configurations(self):
        options = self.options
        is_gpu = options.devices.startswith("cuda")
        edges = GPU_CELLS if is_gpu else CPU_CELLS
        lengths = [1, options.long] if options.long > 1 else [1]
        plans = []
        has_halos = self.launcher != [] or "," in options.devices
        for name in options.cases:
            for edge, length in itertools.product(options.cells or edges[name], lengths):
                cells = [edge, edge, length * edge]
                for steps in (GPU_PASSES if is_gpu else CPU_PASSES).get(name, [1]):
                    plan = {"steps_per_exchange": steps, "temporal_blocking": steps, "overlap": "none"}
                    plans.append(Configuration(name, cells, "float32", plan))
                    if name in DOUBLE and steps in (1, 4):
                        plans.append(Configuration(name, cells, "float64", plan))
                for overlap in ("none", "one-kernel", "two-kernel") if has_halos else ():
                    for steps in (1, 2, 3, 4) if name not in ("flow",) else (1,):
                        if (steps, overlap) == (1, "none"):
                            continue
                        plan = {"steps_per_exchange": steps, "temporal_blocking": 1, "overlap": overlap}
                        plans.append(Configuration(name, cells, "float32", plan))
        # Where time ends before all are measured, something of everything has been.
        if has_halos:
            random.Random(options.seed).shuffle(plans)
            return plans
        order = {}
        for plan in plans:
            key = (plan.name, plan.precision, tuple(plan.plan.items()))
            order[plan] = sum(1 for other in order if (other.name, other.precision, tuple(other.plan.items())) == key)
        return sorted(plans, key=lambda plan: order[plan])


def errors_of(rows):
    return [row["predicted_seconds_per_step"] / row["seconds_per_step"] - 1 for row in rows
            if row["program"] == "model-validation"]


def print_errors(rows):
    groups = {"all": rows}
    for row in rows:
        if row["program"] == "model-validation":
            groups.setdefault(row["name"], []).append(row)
            groups.setdefault("sweeps" if row["steps_per_pass"] == 1 else "passes", []).append(row)
    for name, members in groups.items():
        errors = errors_of(members)
        worst = max(errors, key=abs)
        print(f"{name:<9} {len(errors):>3} configurations, median error "
              f"{100 * statistics.median(map(abs, errors)):.1f} %, worst {100 * worst:+.1f} %")


def write_record(options, rows, notes):
    machine, word = machine_of(options.devices)
    now = datetime.datetime.now().astimezone()
    version = re.search(r"\((\w+)", output_of(options.goban, "--version"))
    run = {"command": shlex.join(["scripts/model_validation.py"] + sys.argv[1:]), "note": notes, "rows": rows}
    record = {"date": now.isoformat(timespec="seconds"), "machine": machine,
              "commit": version[1][:7] if version else "unknown", "runs": [run]}
    path = Path(options.records) / f"{now.date()}-{word}-model.json"
    if path.exists():  # as it was measured by the same program: threads, then ranks
        before = json.loads(path.read_text())
        if all(before[key] == record[key] for key in ("machine", "commit")):
            record["runs"] = before["runs"] + record["runs"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n")
    print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--goban", default=str(ROOT / "build/gpu-check/bin/goban"))
    parser.add_argument("--devices", default="cpu")
    parser.add_argument("--threads", default="")
    parser.add_argument("--launcher", default="")
    parser.add_argument("--backend", default="")
    parser.add_argument("--patches", default="")
    parser.add_argument("--arch", default="sm_90", help="of the GPUs, for kernels compiled beforehand")
    parser.add_argument("--machine", default="")
    parser.add_argument("--cases", default=",".join(CASES), type=str)
    parser.add_argument("--cells", default="", type=str)
    parser.add_argument("--long", type=int, default=1, help="grids so many times as long, too")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--run-seconds", type=float, default=0.4)
    parser.add_argument("--tune-seconds", type=float, default=4)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="what is measured of plans with halos if not all are")
    parser.add_argument("--tune", default="", help="cases to be tuned (default: those measured; none)")
    parser.add_argument("--records", default="")
    options = parser.parse_args()
    options.cases = options.cases.split(",")
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        sys.exit(f"model_validation: error: {unknown[0]} is no case (there are {', '.join(CASES)})")
    options.tune = options.cases if not options.tune else options.tune.split(",") if options.tune != "none" else []
    options.cells = [int(n) for n in options.cells.split(",")] if options.cells else []
    with tempfile.TemporaryDirectory() as folder:
        validation = Validation(options, folder)
        validation.calibrate()
        configurations = validation.configurations()
        validation.precompile(configurations)
        for configuration in configurations:
            validation.measure(configuration)
        if not errors_of(validation.rows):
            sys.exit("model_validation: error: nothing was compared")
        edges = {row["name"]: row["cells"][0] for row in validation.rows if row["precision"] == "float32"}
        for name in options.tune:
            if name in edges:
                validation.tune(name, edges[name])
        print_errors(validation.rows)
        notes = f"{validation.left_out} configurations were left out: time was up. " if validation.left_out else ""
        notes += "Machine file:\n" + Path(validation.machine_file).read_text()
        if options.records:
            write_record(options, validation.rows, notes)
        print(f"{validation.seconds():.0f} s, {validation.left_out} configurations left out")


if __name__ == "__main__":
    main()
