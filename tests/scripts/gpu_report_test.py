"""scripts/gpu_report.py writes what the newest records say, and nothing without records."""

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

SCRIPT = Path(os.environ["GOBAN_SOURCE"]) / "scripts/gpu_report.py"
BEGIN = "<!-- GPU rates, written by scripts/gpu_report.py -->"
END = "<!-- end of GPU rates -->"


def rate(glups, cells, gpus=1, mode="sweeps", scaling="none", overlap="none"):
    return {"program": "goban-gpu-rates", "name": "heat7_float", "cells": cells, "gpus": gpus,
            "boundary": "constant", "mode": mode, "overlap": overlap, "scaling": scaling,
            "steps_per_pass": 1 if mode == "sweeps" else 4, "updates_per_second": glups * 1e9,
            "bytes_per_update": 8, "copy_bandwidth": 4000e9, "share_of_copy": glups * 8 / 4000 / gpus}


def twin(glups, variant, is_right=True):
    return {"program": "goban-gpu-schemes", "name": "heat7 fp32", "variant": variant,
            "size": "512x512x512", "glups": glups, "bits_ok": is_right}


def record(date, *results):
    return {"date": date, "machine": {"gpu": "Made-up GPU"}, "commit": "0123456789abcdef",
            "results": results}


def report(root, *arguments):
    run = subprocess.run([sys.executable, SCRIPT, "--root", root, *arguments], capture_output=True,
                         text=True)
    return run.returncode, run.stdout + run.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        readme = root / "README.md"
        before = f"Before.\n\n{BEGIN}\n{END}\n\nAfter.\n"
        readme.write_text(before)
        code, output = report(root)
        assert code == 1 and "no record" in output and readme.read_text() == before, output

        cube = [512, 512, 512]
        records = root / "benchmarks/records"
        records.mkdir(parents=True)
        (records / "b.json").write_text(json.dumps(record("2026-01-01", rate(111, cube))))
        (records / "a.json").write_text(json.dumps(record(
            "2026-01-02", rate(450, cube), rate(800, cube, mode="open"), twin(500, "loads"),
            twin(900, "wrong", is_right=False), {"program": "goban-gpu-rates", "failed": True})))
        (records / "c.json").write_text(json.dumps(record(
            "2026-01-01", rate(400, cube, scaling="weak"),
            rate(700, [512, 512, 1024], 2, scaling="weak"),
            rate(780, [512, 512, 1024], 2, scaling="weak", overlap="two-kernel"))))
        (records / "d.json").write_text(json.dumps({"date": "2026-01-03", "machine": {}, "runs": []}))
        code, output = report(root)
        assert code == 0, output
        text = readme.read_text()
        assert text.startswith("Before.\n") and text.endswith("After.\n"), text
        assert ("| heat, 7 points, float | 512^3 | 450 | 0.90 | 0.900 | 800 (T = 4) | 1.60 |") in text
        assert "| 512^3 per GPU | sweeps | 400 | 780 (0.975) |" in text, text
        assert "111" not in text and "[a.json](benchmarks/records/a.json)" in text, text
        picture = (root / "docs/pictures/gpu_rates.svg").read_text()
        xml.etree.ElementTree.fromstring(picture)
        assert "450 of 500 GLUP/s" in picture and "800 GLUP/s, T = 4" in picture, picture
        assert report(root)[0] == 0 and readme.read_text() == text  # twice is once

        readme.write_text("No markers.\n")
        code, output = report(root)
        assert code == 1 and "lacks" in output and len(output.splitlines()) == 1, output


main()
