#!/usr/bin/env python3
"""What --print-config says of each case is the same case."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

GOBAN = os.environ["GOBAN"]
SOURCE = Path(os.environ["GOBAN_SOURCE"])


def goban(*words):
    run = subprocess.run([GOBAN, *map(str, words)], capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else None, run.stderr


def main():
    cases = sorted(SOURCE.glob("cases/*/*.toml"))
    failures = [] if cases else ["there are no cases"]
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            described, _ = goban("describe", case)
            printed, why = goban("run", case, "--print-config")
            if printed is None:
                failures.append(f"{case}: {why}")
                continue
            again = Path(folder) / case.name
            again.write_text(printed)
            same, why = goban("describe", again)
            if described is not None and same != described:
                failures.append(f"{case} printed and read again: {why or 'described otherwise'}")
            if described is None:
                print(f"{case} needs files that are not here")
            if goban("run", again, "--print-config")[0] != printed:
                failures.append(f"{case} printed twice differs")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
