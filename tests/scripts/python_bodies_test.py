"""Python's bodies (tests/python/bodies.py): the same fluid on one patch and on several."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, run, skip_if_impossible  # noqa: E402

skip_if_impossible()
with tempfile.TemporaryDirectory() as folder:
    outputs = [run(SOURCE / "tests/python/bodies.py", folder, *arguments)
               for arguments in ([], ["--goban-patches", "2,1,2"])]
    sys.exit(outputs[0] != outputs[1])
