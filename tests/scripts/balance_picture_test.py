"""scripts/balance_picture.py draws how cuts came to rest, from the summary of a run."""

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])
SCRIPT = SOURCE / "scripts/balance_picture.py"


def trial(extents, busy, step):
    mean = sum(busy) / len(busy)
    return {"extents": [[8], [8], extents], "busy": busy, "step": step, "imbalance": max(busy) / mean - 1}


def draw(*arguments):
    run = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        summary = Path(folder) / "summary.json"
        balance = {"outcome": "balanced", "kept": 1,
                   "trials": [trial([16, 16], [3e-3, 1e-3], 3.1e-3), trial([8, 24], [1.5e-3, 1.5e-3], 1.6e-3)]}
        summary.write_text(json.dumps({"balance": [balance]}))
        code, output = draw(summary, "--names", "slow,<fast>")
        assert code == 0, output
        text = summary.with_name("balance.svg").read_text()
        xml.etree.ElementTree.fromstring(text)
        assert "<title>slow: 8</title>" in text and "<title>&lt;fast&gt;: 1.5</title>" in text, text
        assert "%: 50.0 0.0; kept: 1" in text and text.count("<title>the whole step") == 2, text

        code, output = draw(summary, "--names", "one")
        assert code == 1 and output.strip().endswith("there are 2 pieces along z (write as many names)"), output
        for broken in ("{", "[]", '{"balance": []}'):
            summary.write_text(broken)
            code, output = draw(summary)
            assert code == 1 and len(output.splitlines()) == 1, output

        if "GOBAN" in os.environ:
            run = subprocess.run(
                [os.environ["GOBAN"], "run", SOURCE / "cases/heat/hotspot.toml", "grid.cells=16,12,56",
                 "--devices", "emulated:0,1", "run.speeds=1,3", "--out", Path(folder) / "out",
                 "time.end=0.5 ms"], capture_output=True, text=True)
            assert run.returncode == 0, run.stdout + run.stderr
            assert "balanced as z" in run.stdout, run.stdout
            code, output = draw(Path(folder) / "out/summary.json")
            assert code == 0, output


if __name__ == "__main__":
    main()
