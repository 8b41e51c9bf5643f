"""Solvers, sources and receivers of scripts solve what they say, and absorbing layers throw back as
little as docs/boundaries.md says, with the same bits on devices (tests/python/solvers.py,
layers.py)."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, run, skip_if_impossible  # noqa: E402

skip_if_impossible()
with tempfile.TemporaryDirectory() as folder:
    for script in "solvers", "layers":
        found = set()
        for arguments in [], ["--goban-devices", "emulated:0,1", "--goban-delay", "0"]:
            run(SOURCE / f"tests/python/{script}.py", folder, *arguments)
            found.add((Path(folder) / "checksums").read_text())
        assert len(found) == 1, found
