"""The site builds without a warning: every page has its place, every link leads somewhere, every case is in the gallery."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])
PYTHON = os.environ.get("GOBAN_TEST_SPHINX", sys.executable)

if subprocess.run([PYTHON, "-c", "import sphinx, myst_parser, furo, numpy"], capture_output=True).returncode != 0:
    print("skipped: Sphinx is not installed (pip install $(scripts/build_site --packages), GOBAN_TEST_SPHINX=PYTHON)")
    sys.exit(77)

with tempfile.TemporaryDirectory() as name:
    built = subprocess.run([PYTHON, SOURCE / "scripts/build_site", "--out", name, "--goban", os.environ["GOBAN"]],
                           capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    html = Path(name) / "html"
    gallery = (html / "gallery.html").read_text()
    for case in (SOURCE / "cases").glob("*/*.toml"):
        assert f"cases/{case.parent.name}/{case.name}" in gallery, f"{case} is not in the gallery"
    assert "edge lengths of a cell" in (html / "apps/heat/keys.html").read_text()
    assert "goban.Simulation" in (html / "python-reference.html").read_text()
    assert "Keys of blood" in (html / "index.html").read_text(), "the first page has no contents"
