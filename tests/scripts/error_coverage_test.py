"""scripts/error_coverage.py counts places that throw and names those that nothing has reached."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])
PROGRAM = """int main(int count, char**) {
  // to throw is not a place in a comment
  try {
    if (count > 0) throw 1;
    throw 2;
  } catch (int) {
  }
  return 0;
}
"""


def main():
    if not shutil.which("g++") or not shutil.which("gcov"):
        print("no g++ or gcov here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "src").mkdir()
        (root / "build").mkdir()
        (root / "src/main.cpp").write_text(PROGRAM)
        subprocess.run(["g++", "--coverage", "-O0", "../src/main.cpp", "-o", "main"], cwd=root / "build",
                       check=True)
        words = [sys.executable, SOURCE / "scripts/error_coverage.py", root / "build", "--missed", "--source", root]
        none = subprocess.run(words, capture_output=True, text=True)
        assert none.returncode == 1 and "has no counts" in none.stderr, none
        subprocess.run(["./main"], cwd=root / "build", check=True)
        found = subprocess.run(words, capture_output=True, text=True)
        assert found.returncode == 0, found
        assert "src/main.cpp:5: throw 2;" in found.stdout and "main.cpp:4" not in found.stdout, found
        assert "1 of 2 places where an error is thrown, 50 %" in found.stdout, found


main()
