"""The predicted figures of documents are what the commands beside them print, and scripts/predicted_figures.py
notices where they are not."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])
GOBAN = os.environ["GOBAN"]


def run(root, *arguments):
    done = subprocess.run([sys.executable, root / "scripts/predicted_figures.py", "--goban", GOBAN, *arguments],
                          capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check_what_differs():
    """In a small tree of its own."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for folder in ("scripts", "docs/pictures", "apps/blood"):
            (root / folder).mkdir(parents=True)
        shutil.copy(SOURCE / "scripts/predicted_figures.py", root / "scripts")
        command = "goban predict --work flops=13,bytes=32,halo=4 grid.cells=64 --machine tsubame2 --devices 1"
        page = root / "docs/model.md"
        page.write_text(f"Before.\n\n```\n$ {command} --picture docs/pictures/a.svg\nold\n```\n")
        for other in ("docs/published-figures.md", "docs/scaling.md", "apps/blood/README.md"):
            (root / other).write_text("Nothing.\n")
        code, output = run(root, "--check")
        assert code == 1 and "prints something else" in output and "a.svg is missing" in output, output
        code, output = run(root, "--write")
        assert code == 0 and "56.7" in page.read_text() or "56.8" in page.read_text(), output
        assert (root / "docs/pictures/a.svg").exists()
        assert run(root, "--check") == (0, "")
        page.write_text("```\n$ goban predict --nonsense\n```\n")
        code, output = run(root, "--check")
        assert code == 1 and "--nonsense" in output, output


check_what_differs()
code, output = run(SOURCE, "--check")
assert code == 0, output
