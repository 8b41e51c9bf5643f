#!/usr/bin/env python3
"""What saving costs a run: heat in a closed box, float64, without checkpoints and with some on nodes
in the background; says the time of a step of both, and how long saves held the run up.

  scripts/checkpoint_overhead.py [--goban build/bin/goban] [--cells 400] [--every 30] [--saves 6]
      [--devices cpu] [--launcher "mpirun -n 3"] [--folder /dev/shm]

The folder of the nodes has one of every rank; with a launcher every second save has parity. Memory:
the state is 8 bytes a cell; the run takes two, copies two more, and the folder two."""

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CASE = """app = "heat"
[grid]
cells = {cells}
spacing = "1 mm"
[time]
steps = 100
[run]
precision = "float64"
[medium]
conductivity = 100
heat_capacity = 1e6
[boundary]
x = "mirror"
y = "mirror"
z = "mirror"
[[initial]]
shape = "mode"
value = 300
waves = [0.5, 0.5, 0.5]
functions = "cosine"
[output.series]
every = 1000000000
[checkpoint]
at_end = false
"""


def run(words, case, out, *more):
    command = [*words, "run", str(case), "--out", str(out), "--overwrite", *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads((out / "summary.json").read_text())


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--goban", default="build/bin/goban")
    options.add_argument("--cells", type=int, default=400)
    options.add_argument("--every", type=float, default=30, help="seconds between saves")
    options.add_argument("--saves", type=int, default=6)
    options.add_argument("--devices", default="cpu")
    options.add_argument("--launcher", default="")
    options.add_argument("--folder", type=Path, default=Path("/dev/shm"))
    given = options.parse_args()
    words = [*shlex.split(given.launcher), given.goban]
    nodes = given.folder / "goban-overhead"
    with tempfile.TemporaryDirectory() as root:
        root = Path(root)
        case = root / "box.toml"
        case.write_text(CASE.format(cells=given.cells))
        devices = f"--devices={given.devices}"
        first = run(words, case, root / "first", devices)
        rate = first["steps"] / first["loop_seconds"]
        seconds = given.every * (given.saves + 0.5)
        without = run(words, case, root / "without", devices,
                      f"time.steps={max(100, int(rate * given.every))}")
        rate = without["steps"] / without["loop_seconds"]
        levels = [f"checkpoint.local.folder={nodes}/{{rank}}", "checkpoint.keep=1",
                  f"checkpoint.local.every_wall={given.every} s", "checkpoint.background=true"]
        if given.launcher:
            levels.append(f"checkpoint.parity.every_wall={2 * given.every} s")
        try:
            saving = run(words, case, root / "with", devices, *levels,
                         f"time.steps={int(rate * seconds)}")
        finally:
            shutil.rmtree(nodes, ignore_errors=True)
    cost = saving["checkpoints"]
    state = 8 * given.cells**3
    saves = sum(cost["saved"].values())
    step = [1e3 * s["loop_seconds"] / s["steps"] for s in (without, saving)]
    slower = 100 * (step[1] / step[0] - 1)
    held = 100 * cost["held_seconds"] / saving["loop_seconds"]
    last = cost["last_held_seconds"]
    print(f"GOBAN state {1e-9 * state:.2f} GB, saved {cost['saved']}, every {given.every:g} s")
    print(f"GOBAN step {step[0]:.4f} ms without, {step[1]:.4f} ms beside saving ({slower:+.2f} %)")
    print(f"GOBAN held up for {cost['held_seconds']:.3f} s in all ({held:.2f} % of the loop), "
          f"{cost['longest_held_seconds']:.3f} s at most, {last:.3f} s by the last of {saves}")
    print(f"GOBAN one as the last every {given.every:g} s: {100 * last / given.every:.2f} %, "
          f"its copy at {1e-9 * state / last:.1f} GB/s")
    print(f"GOBAN {cost['background_seconds']:.1f} s of work beside the run")


if __name__ == "__main__":
    main()
