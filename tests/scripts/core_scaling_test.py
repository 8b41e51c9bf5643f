"""scripts/core_scaling.py measures kernels with several numbers of threads, keeps to its time, and draws."""

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])
sys.path.insert(0, str(SOURCE / "scripts"))
from records import layout  # noqa: E402

BENCH = """#!/bin/sh
# KERNEL --alone --rounds R --threads N ... --json FILE
test "$1" = broken && { echo "error: it is broken" >&2; exit 1; }
for last; do :; done
echo '{"'$1'": {"cells": 64, "updates_per_second": '$6'e9, "best_updates_per_second": '$6'e9, "of_copy": 0.5,
"copy_bandwidth": 1e10, "bytes_per_update": 8, "flops_per_update": 0}}' > "$last"
"""


def scale(*arguments):
    run = subprocess.run([sys.executable, SOURCE / "scripts/core_scaling.py", *arguments], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        bench = Path(folder) / "bench"
        bench.write_text(BENCH)
        bench.chmod(0o755)
        common = ("--bench", bench, "--records", folder, "--threads", "1,2,4")
        code, output = scale(*common, "--kernels", "heat7,broken")
        assert code == 0, output
        (path,) = Path(folder).glob("*-scaling.json")
        record = json.loads(path.read_text())
        layout.check(record, path.name)
        rows = [row for run in record["runs"] for row in run.get("rows", [])]
        assert [row["threads"] for row in rows] == [4, 1, 2], rows
        assert sum(run.get("refused") == "error: it is broken" for run in record["runs"]) == 3, record
        drawn = path.with_suffix(".svg").read_text()
        xml.etree.ElementTree.fromstring(drawn)
        assert "heat7, 4 threads: 4.00 times" in drawn and "copy, 4 threads: 1.00 times" in drawn, drawn

        path.with_suffix(".svg").unlink()
        code, output = scale("--picture", path)
        assert code == 0 and path.with_suffix(".svg").read_text() == drawn, output

        code, output = scale(*common, "--kernels", "heat7", "--seconds", "0")
        assert code == 1, output
        late = json.loads(path.with_name(path.stem + "-2.json").read_text())
        assert [run["refused"] for run in late["runs"]] == ["time was up"] * 3, late


if __name__ == "__main__":
    main()
