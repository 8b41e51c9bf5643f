"""scripts/beside_peers.py shows medians of goban's kernels and of peers, and names a peer without a rate."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(os.environ["GOBAN_SOURCE"]) / "scripts/beside_peers.py"
BENCH = """#!/bin/sh
echo '{"heat25": {"updates_per_second": 4e9, "of_copy": 0.5}}' > "$7"
"""


def compare(bench, *arguments):
    run = subprocess.run([sys.executable, SCRIPT, "--bench", bench, "--goban", "heat25", *arguments],
                         capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        bench = Path(folder) / "bench"
        bench.write_text(BENCH)
        bench.chmod(0o755)
        rates = f"cd {folder}; echo x >> rounds; echo mid-throughput '(num-points/sec):' $(wc -l < rounds)00M"
        code, output, errors = compare(bench, "--rounds", "3", "--peer", "other", rates)
        assert code == 0, errors
        rows = {line.split()[0]: line.split()[1:] for line in output.splitlines()[1:]}
        assert rows["heat25"] == ["4.000", "4.000", "4.000", "0.500"], output
        assert rows["other"] == ["0.200", "0.100", "0.300"], output
        code, output, errors = compare(bench, "--rounds", "1", "--peer", "mute", "true")
        assert code == 1 and "no rate in what `true` prints" in errors, errors


if __name__ == "__main__":
    main()
