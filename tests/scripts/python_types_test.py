"""What the package offers is typed and has docstrings whose examples run; mypy --strict, where there
is one, accepts a script and finds its slips."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import PACKAGE, SOURCE, environment, run, skip_if_impossible  # noqa: E402


def check_with(mypy, folder):
    file = SOURCE / "tests/python/typed.py"
    lines = file.read_text().splitlines()
    done = subprocess.run([mypy, "--strict", "--python-executable", sys.executable, "--cache-dir",
                           folder, "--follow-imports=silent", str(file)], capture_output=True,
                          text=True, env=environment(MYPYPATH=str(PACKAGE)))
    found = {int(line): said for line, said in
             re.findall(r"typed\.py:(\d+): error: (.*)", done.stdout)}
    first = lines.index("# Slips:") + 2
    wanted = {n: lines[n - 1].split("  # ")[1] for n in range(first, len(lines) + 1)}
    assert found.keys() == wanted.keys(), done.stdout + done.stderr
    for line, said in wanted.items():
        assert said in found[line], f"line {line}: {found[line]!r}, not {said!r}"


skip_if_impossible()
with tempfile.TemporaryDirectory() as folder:
    assert run(SOURCE / "tests/python/docstrings.py", folder) == "all docstrings\n"
    script = (SOURCE / "tests/python/typed.py").read_text().split("# Slips:")[0]
    run(script, folder)
    mypy = os.environ.get("GOBAN_MYPY") or shutil.which("mypy")
    if mypy:
        check_with(mypy, folder)
    else:
        print("types are not checked: no mypy here, and GOBAN_MYPY names none")
