"""Figures by matplotlib and pyvista (tests/python/plots.py): with this Python, and with that of
GOBAN_TEST_PLOTS, which has matplotlib."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, run, skip_if_impossible  # noqa: E402

skip_if_impossible()
for python in dict.fromkeys([sys.executable, os.environ.get("GOBAN_TEST_PLOTS", sys.executable)]):
    with tempfile.TemporaryDirectory() as folder:
        said = run(SOURCE / "tests/python/plots.py", folder, python=python)
        assert said.splitlines()[-1] == "all figures", said
        print(said, end="")
