"""Documents show what their records say, records follow benchmarks/records/README.md, and
scripts/record_tables.py and scripts/gpu_check notice and do what they are for."""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])
SCRIPT = SOURCE / "scripts/record_tables.py"
END = "<!-- end of table -->"


def run(*arguments):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def rate(glups, cells, gpus=1, mode="sweeps", scaling="none", overlap="none"):
    return {"program": "goban-gpu-rates", "name": "heat7_float", "cells": cells, "gpus": gpus,
            "boundary": "constant", "mode": mode, "overlap": overlap, "scaling": scaling,
            "steps_per_pass": 1 if mode == "sweeps" else 4, "updates_per_second": glups * 1e9,
            "best_updates_per_second": glups * 1e9, "bytes_per_update": 8, "copy_bandwidth": 4000e9,
            "share_of_copy": glups * 8 / 4000 / gpus, "checksum": "0", "same_bits": True}


def twin(glups, variant, is_right=True):
    return {"program": "goban-gpu-schemes", "name": "heat7 fp32", "variant": variant,
            "size": "512x512x512", "glups": glups, "share_of_copy": 0.5, "copy_gbs": 4000, "registers": 32,
            "local_bytes": 0, "bits_ok": is_right, "wrong_words": 0}


def exchange(microseconds, cells, devices, steps=1, chosen=False, overlap="none"):
    return {"program": "goban-exchange", "name": "life", "cells": cells, "pieces": [1, 1, devices],
            "ranks": devices, "steps_per_exchange": steps, "chosen": chosen, "overlap": overlap,
            "transport": "peer", "seconds_per_step": 1e-6 * microseconds, "same_bits": True,
            "updates_per_second": cells[0] * cells[1] * cells[2] / (1e-6 * microseconds)}


def summary(updates, case="plane", **others):
    return {"command": f"goban run cases/waves/{case}.toml size=2", "goban": "0.1.0", "app": "waves",
            "cells": [8, 8, 8], "steps": 10, "updates_per_second": updates, "loop_seconds": 1.5,
            "bytes_per_update": 100.0, "flops_per_update": 50.0, "copy_bandwidth": 4e12,
            "roofline_fraction": updates * 100 / 4e12, "devices": ["cuda:0 Made-up GPU"], "ranks": 1,
            "checksum": {"u": "abc"}, "results": {"tip": [1.0, 2.0], "energy": 1500000.0}, **others}


def record(date, *rows, runs=()):
    return {"date": f"{date}T00:00:00+00:00", "machine": {"gpu": "Made-up GPU"}, "commit": "0123456789abcdef",
            "runs": [*({"command": "measure", "rows": [row]} for row in rows), *runs]}


class Tree:
    """A made-up repository."""

    def __init__(self, folder):
        self.root = Path(folder)
        self.records = self.root / "benchmarks/records"
        self.records.mkdir(parents=True)
        self.readme = self.root / "README.md"

    def add(self, name, content):
        (self.records / f"{name}.json").write_text(json.dumps(content))

    def shows(self, mark, *expected):
        self.readme.write_text(f"Before.\n\n<!-- table: {mark} -->\n{END}\n\nAfter.\n")
        code, output = run("--root", self.root, "--check")
        assert code == 1 and f"README.md: the table '{mark.splitlines()[0]}' differs" in output, output
        code, output = run("--root", self.root, "--write")
        assert code == 0, output
        text = self.readme.read_text()
        assert text.startswith("Before.\n") and text.endswith("After.\n"), text
        for part in expected:
            assert part in text, f"{part} is not in\n{text}"
        assert run("--root", self.root, "--check") == (0, ""), "what was written differs"
        return text

    def refuses(self, mark, message):
        before = f"<!-- table: {mark} -->\n{END}\n"
        self.readme.write_text(before)
        code, output = run("--root", self.root, "--write")
        assert code == 1 and message in output and len(output.splitlines()) == 1, output
        assert self.readme.read_text() == before


def check_this_repository():
    code, output = run("--check")
    assert code == 0, output
    documents = [*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md"), *SOURCE.glob("apps/*/*.md")]
    used = set(re.findall(r"^<!-- table: (\S+)", "\n".join(d.read_text() for d in documents), re.MULTILINE))
    code, output = run("--help")
    kinds = set(re.findall(r"^  ([a-z0-9-]+) {2,}\S", output.split("\nKIND\n")[1].split("\n\n")[0], re.MULTILINE))
    assert code == 0 and used == kinds, f"described {sorted(kinds)}, in documents {sorted(used)}"


def check_tables(tree):
    cube = [512, 512, 512]
    tree.add("1-rates", record("2026-01-01", rate(111, cube)))
    tree.add("2-rates", record(
        "2026-01-02", rate(450, cube), rate(800, cube, mode="open"), twin(500, "loads"),
        twin(900, "wrong", is_right=False), {"program": "goban-gpu-rates", "title": "cut off", "failed": True}))
    tree.add("3-rates", record(
        "2026-01-03", rate(400, cube, scaling="weak"), rate(700, [512, 512, 1024], 2, scaling="weak"),
        rate(780, [512, 512, 1024], 2, scaling="weak", overlap="two-kernel")))
    text = tree.shows("rates *-rates", "[2-rates.json](benchmarks/records/2-rates.json)",
                      "| heat, 7 points, float | 512^3 | 450 | 0.90 | 0.900 | 800 (T = 4) | 1.60 |")
    assert "111" not in text
    tree.shows("scaling *-rates", "| 512^3 per GPU | sweeps | 400 | 780 (0.975) |")
    tree.shows("rates-picture *-rates", "](docs/pictures/gpu_rates.svg)")
    picture = tree.root / "docs/pictures/gpu_rates.svg"
    xml.etree.ElementTree.fromstring(picture.read_text())
    assert "450 of 500 GLUP/s" in picture.read_text() and "800 GLUP/s, T = 4" in picture.read_text()
    picture.write_text("<svg/>")
    code, output = run("--root", tree.root, "--check")
    assert code == 1 and "docs/pictures/gpu_rates.svg differs" in output, output

    small, pair = [64, 64, 64], [64, 64, 128]
    tree.add("4-exchange", record(
        "2026-01-04", exchange(8, small, 1), exchange(10, pair, 2), exchange(16, pair, 2, overlap="one-kernel"),
        exchange(9, pair, 2, steps=2), exchange(5, small, 2), exchange(9.1, pair, 2, steps=2, chosen=True)))
    tree.add("5-exchange", record("2026-01-05", exchange(7, pair, 2)))
    tree.shows("scaling 4-exchange", "with a process each", "| 64^3 per GPU | sweeps | 32.8 | 52.4 (0.800) |",
               "| 64^3 in all | sweeps | 32.8 | 52.4 (0.800) |")
    tree.shows("shares *-exchange", "| halos | no overlap | one-kernel | no overlap, R = 2 |",
               "life, bytes at 64^3 8.0",
               "| 64^3 each | 2 processes, `peer` | 0.800 | 0.500 | 0.889 |")
    tree.shows("expansion *-exchange", "| life, bytes | 64^3 | 10.0 | 9.0 | 9.1 (2) |")
    tree.shows("step-times 4-exchange 5-exchange", "| life, bytes | 64^3 | 2 | 10.0 | 7.0 |")

    tree.add("6-apps", record("2026-01-06", runs=[
        summary(8e9), summary(9e9), summary(1e9, case="slow"), summary(30e9, devices=["cpu, 2 threads"])]))
    tree.add("7-apps", record("2026-01-07", runs=[summary(4e9, launches_tried=True), summary(2e9, case="slow")]))
    text = tree.shows("applications *-apps app=waves",
                      "| `plane.toml` | 8^3 | 9e9 | 100 | 40e9 | 0.23 | 0.5 | [6-apps.json]",
                      "| `slow.toml` | 8^3 | 2e9 | 100 | 40e9 | 0.05 | 0.1 | [7-apps.json]")
    assert text.index("plane.toml") < text.index("slow.toml")
    tree.shows("figures *-apps\ntip {plane !slow; results.tip - 1; +.1%} of {slow; updates_per_second; e9}, "
               "{slow; results.energy; .2e} {slow; results.energy / 1e6; .1f} {slow; checksum.u; s} "
               "{slow; steps; d}, {slow; record;}\n",
               "\n\ntip +0.0 %, +100.0 % of 2e9, 1.50e6 1.5 abc 10, "
               "[7-apps.json](benchmarks/records/7-apps.json)\n")
    in_cache = {"program": "resident", "name": "sweep", "variant": "1x1", "registers": 1, "sweep_registers": 1,
                "blocks_per_processor": 1, "flops_per_update": 100, "resident_glups": 200.0,
                "sweep_glups": 150.0, "share": 0.75}
    tree.add("8-apps", record("2026-01-08", in_cache, {**in_cache, "variant": "2x4", "sweep_glups": 160.0}))
    tree.shows("resident *-apps", "| sweep | 100 | 2x4 | 160e9 | 16.0 | 200e9 | 0.80 |")

    trial = {"extents": [[8], [8], [4, 12]], "busy": [1e-3, 2e-3], "step": 2e-3, "imbalance": 0.5}
    balance = {"outcome": "balanced", "trials": [trial, trial], "kept": 1}
    tree.add("9-balance", record("2026-01-09", runs=[{"command": "goban", "balance": [balance]}]))
    tree.shows("balance-picture 9-balance file=docs/b.svg names=slow_one,fast", "](docs/b.svg)")
    assert "slow one" in (tree.root / "docs/b.svg").read_text()

    tree.refuses("shapes *-rates", "is no kind of table")
    tree.refuses("rates", "names no record")
    tree.refuses("rates *-rates nothing", "there is no record nothing")
    tree.refuses("rates *-exchange", "has rates of one GPU")
    tree.refuses("applications *-apps app=others", "runs of 'others'")
    tree.refuses("figures *-apps\n{fast; steps; d}\n", "has the words 'fast'")
    tree.refuses("figures *-apps\n{slow; results.top; .1f}\n", "has no 'results.top'")
    tree.refuses("figures *-apps\n{slow; results.tip; .1z}\n", "cannot be written as '.1z'")
    tree.refuses("figures *-apps\n{slow; results.tip * 2; .1f}\n", "is not understood")
    tree.readme.write_text("<!-- table: rates *-rates -->\nNo end.\n")
    code, output = run("--root", tree.root, "--check")
    assert code == 1 and "has no line" in output and len(output.splitlines()) == 1, output


def check_peers(tree):
    """The fastest of a step first, each as a share of goban's rate; what was not there is said."""
    def peer(name, glups, **others):
        return {"program": "beside-peers", "name": "heat7", "peer": name, "device": "cuda", "cells": [64, 64, 64],
                "threads": 4, "updates_per_second": glups * 1e9, "best_updates_per_second": glups * 1e9, **others}

    started = {"first_seconds": 1.25, "second_seconds": 0.5, "lines": 18}
    rows = [peer("goban", 500, **started), peer("warp", 600, version="1.9", difference=2e-7, same_bits=False, **started),
            {"program": "beside-peers", "failed": True, "title": "jax, heat7, cuda", "unreadable": "no"}]
    tree.add("peers", {**record("2026-01-01"), "runs": [
        {"command": "scripts/beside_peers.py --device cuda", "note": "not there: taichi", "rows": rows}]})
    text = tree.shows("peers peers", "| `heat7` 64^3 | warp 1.9 | 600 | 1.20 | 1.2 | 0.5 | 18 | 2e-07 |",
                      "|  | **goban** | 500 |  | 1.2 | 0.5 | 18 |  |",
                      "One Made-up GPU; not there: taichi; jax, heat7, cuda failed: no (2026-01-01")
    assert text.index("warp") < text.index("**goban**")


def check_layout(tree):
    """What is not laid out as records are is named."""
    good = record("2026-02-01", rate(1, [8, 8, 8]), runs=[summary(1e9)])

    def changed(change):
        bad = copy.deepcopy(good)
        change(bad)
        tree.add("bad", bad)
        return run("--root", tree.root, "--check")

    assert changed(lambda r: None) == (0, "")
    for change, message in (
            (lambda r: r.pop("commit"), "has no 'commit'"),
            (lambda r: r.update(commit="yesterday's"), "is no commit"),
            (lambda r: r.update(date="2026-02-01"), "no date and time"),
            (lambda r: r.update(results=[]), "a key 'results'"),
            (lambda r: r.update(runs=[]), "neither runs nor steps"),
            (lambda r: r["runs"][0]["rows"][0].update(gpus="one"), "row 1: 'gpus' is of another kind"),
            (lambda r: r["runs"][0]["rows"][0].update(program="mine"), "names no program"),
            (lambda r: r["runs"][0]["rows"][0].update(cells=[8, 8]), "three whole numbers"),
            (lambda r: r["runs"][0].update(command="the same again"), "command is not whole"),
            (lambda r: r["runs"][1].pop("copy_bandwidth"), "run 2 has no 'copy_bandwidth'"),
            (lambda r: r["runs"][1].update(command="goban run plain.toml"), "names no case file"),
            (lambda r: r["runs"][1].update(roofline_fraction=0.9), "'roofline_fraction' is not that")):
        code, output = changed(change)
        assert code == 1 and message in output and len(output.splitlines()) == 1, f"{message}: {output}"


def check_gpu_check(tree):
    """What scripts/gpu_check leaves is a record."""
    tools, programs = tree.root / "tools", tree.root / "programs"
    rows = [rate(7, [8, 8, 8]), rate(9, [8, 8, 8], mode="open")]
    lines = "\n".join(json.dumps({key: row[key] for key in row if key != "program"}) for row in rows)
    for path, text in (
            (tools / "nvidia-smi", 'case "$*" in *name*) echo "NVIDIA Made-up" ;; *) echo 1.2 ;; esac'),
            (programs / "goban-gpu-rates", f"cat >\"${{@: -1}}\" <<'E'\n{lines}\n{{\"name\nE"),
            (programs / "goban", 'echo "goban 0.1.0 (0123456789ab-dirty)"')):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/usr/bin/env bash\n{text}\n")
        path.chmod(0o755)
    scripts = tree.root / "scripts"  # its logs go below the folder it lies in
    scripts.mkdir()
    shutil.copy(SOURCE / "scripts/gpu_check", scripts)
    done = subprocess.run(
        ["bash", scripts / "gpu_check", "--prebuilt", programs, "--no-tests", "--no-cases", "--quick",
         "--what", "rates"], env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = tree.records.glob("*-made-up-rates.json")
    left = json.loads(path.read_text())
    assert left["commit"] == "0123456789ab-dirty" and left["passed"], left
    assert left["runs"][0]["command"] == "goban-gpu-rates --quick", left
    assert left["runs"][0]["rows"][:2] == rows and "unreadable" in left["runs"][0]["rows"][2], left
    tree.shows("rates *-made-up-rates", "One NVIDIA Made-up", "| 8^3 | 7.0 |", "| 9.0 (T = 4) |")


def check_graph500(tree):
    """What scripts/graph500_record.py leaves is a record; the second scale does not fit."""
    teps = {"min": 1e9, "median": 3e9, "max": 4e9, "mean": 2e9}
    left = {"goban": "0.1.0 (0123456789ab)", "devices": ["Made-up CPU, 2 threads"], "ranks": 1,
            "checksum": {"levels": "abc"}, "results": {
                "vertices": 16, "input_edges": 256, "searches": 2, "validated": 2, "generation_seconds": 0.5,
                "construction_seconds": 1.5, "search_seconds": {"mean": 0.0125}, "teps": teps,
                "path_seconds": {"mean": 0.25}, "path_teps": teps, "smallest_component": 200, "levels": []}}
    program = tree.root / "goban"
    program.write_text(f"""#!/usr/bin/env bash
[[ $* == *graph.scale=5* ]] && {{ echo 'the graph does not fit' >&2; exit 3; }}
while [[ $1 != --out ]]; do shift; done
cat >"$2/summary.json" <<'E'\n{json.dumps(left)}\nE\n""")
    program.chmod(0o755)
    done = subprocess.run(
        [sys.executable, SOURCE / "scripts/graph500_record.py", "--goban", program, "--devices", "cpu",
         "--scales", "4,5", "--records", tree.records, "search.keys=2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = tree.records.glob("*-graph500.json")
    record = json.loads(path.read_text())
    assert record["commit"] == "0123456789ab", record
    assert record["runs"][0]["command"].endswith("graph.scale=4 --devices cpu search.keys=2"), record
    assert record["runs"][1]["refused"] == "the graph does not fit", record
    tree.shows("graph500 *-graph500", "| 2 threads | 4 | 0.5 s | 1.5 s | 12.5 ms | 2 | 3 | 200 | 0.25 s, 2 | [")


check_this_repository()
for part in (check_tables, check_peers, check_layout, check_gpu_check, check_graph500):
    with tempfile.TemporaryDirectory() as folder:
        part(Tree(folder))
