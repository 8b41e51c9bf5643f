"""Fields and files of a run as data sets of xarray, pictures of fields in notebooks
(tests/python/datasets.py)."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, run, skip_if_impossible  # noqa: E402

skip_if_impossible()
with tempfile.TemporaryDirectory() as folder:
    said = run(SOURCE / "tests/python/datasets.py", folder)
    assert said.splitlines()[-1] == "all data sets" or "are not tested" in said, said
    print(said.splitlines()[-1])
