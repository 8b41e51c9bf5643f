"""One process of scripts/beside_peers.py: measure.py '{"step": ..., "peer": ..., ...}'

Runs the file STEP/PEER.py beside this one, and writes what was measured to the file `out` as JSON:
the seconds from `began` (of time.monotonic()) to the end of the first step, without those in which
the initial values were made; unless `only_start`, the result after CHECKED steps, some 64 planes of
it, compared with the array in `reference`, which is written if it is not there; and the rate.
"""

import json
import math
import os
import sys
import time
import types
from pathlib import Path

ASKED = json.loads(sys.argv[1])
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:ASKED["threads"]])  # before any library looks
sys.path.pop(0)  # heat7/jax.py shall import jax, not what lies beside this file

CHECKED = 4


def load(path):
    """Its module, called as no library is, without a trace in the folder."""
    module = types.ModuleType(f"{path.parent.name}_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    exec(compile(path.read_text(), path, "exec"), module.__dict__)
    return module


def timed(step, n):
    began = time.monotonic()
    step(n)
    return time.monotonic() - began


def batches(step, seconds):
    """Steps of a batch of about so many seconds, and how long each of five took, or of fewer that
    took long. Steps are multiples of 24, so that passes of several fit, where there are so many.
    What comes before, three batches at least, is for those who compile or try ways out meanwhile."""
    began, n, taken = time.monotonic(), 1, timed(step, 1)
    while taken < seconds or time.monotonic() - began < 3 * seconds:
        n = max(n, min(8 * n, math.ceil(1.2 * n * seconds / taken)))
        n += -n % 24 if n > 24 else 0
        taken = min(timed(step, n), timed(step, n))
    all_taken = []
    while len(all_taken) < 5 and sum(all_taken) < 4:
        all_taken.append(timed(step, n))
    return n, all_taken


def compare(found, path, np):
    """Largest difference, as a share of the largest value, and whether bits are equal."""
    if not path.exists():
        np.save(path, found)
        return {}
    wanted = np.load(path, mmap_mode="r")
    if found.shape != wanted.shape:
        sys.exit(f"its result has shape {found.shape}, not {wanted.shape}")
    apart = max(float(np.abs(a - b).max()) for a, b in zip(found, wanted))
    size = max(float(np.abs(b).max()) for b in wanted)
    same = all(np.array_equal(a.view(np.uint32), b.view(np.uint32)) for a, b in zip(found, wanted))
    return {"difference": apart / size if math.isfinite(apart) else -1.0, "same_bits": same}


def main():
    import numpy as np
    folder = Path(__file__).resolve().parent
    made = time.monotonic()
    initial = load(folder / "steps.py").STEPS[ASKED["step"]].initial(ASKED["edge"])
    made = time.monotonic() - made
    step, result = load(folder / ASKED["step"] / (ASKED["peer"] + ".py")).prepare(ASKED["device"], *initial)
    step(1)
    measured = {"start_seconds": time.monotonic() - ASKED["began"] - made}
    if not ASKED["only_start"]:
        del initial
        step(CHECKED - 1)
        planes = slice(None, None, max(1, ASKED["edge"] // 64))
        found = np.stack([np.asarray(values)[planes] for values in result()])
        measured.update(compare(found, Path(ASKED["reference"]), np))
        del found
        steps, seconds = batches(step, ASKED["seconds"])
        measured.update(steps=steps, batch_seconds=seconds)
    Path(ASKED["out"]).write_text(json.dumps(measured))


main()
