"""Fields as arrays of others, and arrays of others as fields (tests/python/views.py), in memory of
the host; on a GPU with CuPy and PyTorch, where there are (tests/python/gpu_views.py)."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import SOURCE, has_gpu, run, skip_if_impossible  # noqa: E402

skip_if_impossible()


def why_not_on_gpu():
    if not has_gpu():
        return "no GPU here"
    missing = [name for name in ("cupy", "torch") if subprocess.run(
        [sys.executable, "-c", f"import {name}"], capture_output=True).returncode != 0]
    return f"no {' and no '.join(missing)} here" if missing else ""


with tempfile.TemporaryDirectory() as folder:
    small_caches = ["--goban-machine", str(SOURCE / "tests/small_caches.toml")]
    for arguments in ([], ["--goban-threads", "1"], [*small_caches, "--goban-threads", "2"],
                      ["--goban-patches", "2,2,1"], ["--goban-devices", "emulated:0"],
                      ["--goban-devices", "emulated:0,1"]):
        said = run(SOURCE / "tests/python/views.py", folder, *arguments)
        assert said == "all are as they should be\n", said
    if why_not_on_gpu():
        print("views on GPUs are not tested:", why_not_on_gpu())
    else:
        said = run(SOURCE / "tests/python/gpu_views.py", folder)
        assert said.endswith("all are as they should be\n"), said
