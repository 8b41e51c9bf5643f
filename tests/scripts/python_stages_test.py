"""Everything that a functor and a program written in Python can say computes what NumPy computes,
with the same bits on threads, patches, and devices (tests/python/stages.py)."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, has_gpu, run, skip_if_impossible  # noqa: E402

skip_if_impossible()
with tempfile.TemporaryDirectory() as folder:
    script, checksums = SOURCE / "tests/python/stages.py", Path(folder) / "checksums.0"
    run(script, folder)
    found = checksums.read_text()
    assert len(found.splitlines()) == 10, found
    runs = [["--goban-threads", "1"], ["--goban-devices", "emulated:0,1"],
            ["--goban-patches", "2,2,1"]]
    if has_gpu():
        runs.append(["--goban-devices", "cuda:0"])
    for arguments in runs:
        checksums.unlink()
        run(script, folder, *arguments)
        assert checksums.read_text() == found, f"other bits with {arguments}"
