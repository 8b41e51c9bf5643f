"""Python's grids of active cells (tests/python/active_cells.py), on one patch and on several."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, run, skip_if_impossible  # noqa: E402

skip_if_impossible()
with tempfile.TemporaryDirectory() as folder:
    for arguments in [], ["--goban-patches", "3,1,1"], ["--goban-devices", "emulated:0,1"]:
        run(SOURCE / "tests/python/active_cells.py", folder, *arguments)
