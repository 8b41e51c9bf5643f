"""Solvers, sources and receivers of scripts solve what they say, with the same bits on
devices (tests/python/solvers.py)."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, run, skip_if_impossible  # noqa: E402

skip_if_impossible()
with tempfile.TemporaryDirectory() as folder:
    found = set()
    for arguments in [], ["--goban-devices", "emulated:0,1", "--goban-delay", "0"]:
        run(SOURCE / "tests/python/solvers.py", folder, *arguments)
        found.add((Path(folder) / "checksums").read_text())
    assert len(found) == 1, found
