"""What a device is given for a step, once halos that stay are made: a few launches."""

import collections
import json
import os
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])

# Of each case the most, and values that make it small. Emulated devices take what GPUs take.
CASES = {
    "seismic/basin.toml": (5, ["grid.cells=48,44,34", "grid.spacing=300", "time.end=0.1",
                               "source.0.position=[5500,4000,3000]",
                               "receiver.0.position=[4000,5000,0]",
                               "receiver.1.position=[5000,3000,0]"]),
    "lbm/city.toml": (2, ["grid.cells=64,40,17", "grid.spacing=4", "time.end=0.6"]),
    "dendrite/competition.toml": (2, ["grid.cells=64,96,1", "time.end=30 ns"]),
}


def main():
    for case, (most, values) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "trace.json"
            run = subprocess.run(
                [os.environ["GOBAN"], "run", SOURCE / "cases" / case, "--devices", "emulated:0",
                 "--trace", trace, "--out", Path(folder) / "out", *values],
                capture_output=True, text=True)
            assert run.returncode == 0, run.stdout + run.stderr
            steps = collections.Counter()
            for event in json.loads(trace.read_text())["traceEvents"]:
                if event.get("cat") in ("sweep", "fill", "copy") and "step" in event["args"]:
                    steps[event["args"]["step"]] += 1
            counts = [count for _, count in sorted(steps.items())]
            assert len(counts) > 4, counts
            assert counts[3] <= most, (case, counts)


if __name__ == "__main__":
    main()
