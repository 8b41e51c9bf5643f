"""Gradients of scripts are those of differences, with the same bits on cuts and devices
(tests/python/gradients.py); the example finds the conductivity of its medium."""

import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, run, skip_if_impossible  # noqa: E402

skip_if_impossible()
with tempfile.TemporaryDirectory() as folder:
    found = set()
    for arguments in [], ["--goban-patches", "2,1,1"], ["--goban-devices", "emulated:0,1",
                                                        "--goban-delay", "0"]:
        run(SOURCE / "tests/python/gradients.py", folder, *arguments)
        found.add((Path(folder) / "checksums").read_text())
    assert len(found) == 1, "other bits on other cuts"
    said = run(SOURCE / "examples/python/conductivity.py", folder)
    misfits = re.search(r"misfit (\S+) -> (\S+),", said)
    assert misfits and float(misfits[2]) < 0.05 * float(misfits[1]), said
