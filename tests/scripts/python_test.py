"""The program of the README in Python: the bits of the one in C++, however it is run; what is
compiled when; checkpoints and signals; errors are one line and their exit code."""

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GOBAN_SOURCE"]) / "tests/python"))
from environment import BUILT, SOURCE, environment, run, skip_if_impossible  # noqa: E402

EXAMPLE = (SOURCE / "examples/python/diffusion.py").read_text()
# exp of the C library, whose last bit is that of the program in C++.
SMALL = EXAMPLE.replace("512, 512, 512", "48, 40, 32").replace("steps=1000", "steps=20").replace(
    "np.exp(", "np.vectorize(math.exp)(").replace("import numpy", "import math\nimport numpy")
# One functor, one number.
COMPILES = """
import sys
import goban
def scale(u, next, r):
    next[...] = {factor} * r * u()
grid = goban.Grid((8, 8, 8))
u, next = grid.field("u"), grid.field("next")
u.fill(1)
step = goban.Program("scale")
step.apply(scale, u, next, r=float(sys.argv[1]))
goban.Engine(step).run(1)
print(next[0, 0, 0])
"""


def checksum(folder):
    return json.loads((folder / "out/diffusion/summary.json").read_text())["checksum"]


def modules(cache):
    return sorted(cache.glob("goban/python/*.so"))


def wait_for(file, process):
    while not file.exists():
        assert process.poll() is None, f"ended before {file} was there"
        time.sleep(0.05)


def check_bits(folder):
    assert EXAMPLE.count("512, 512, 512") == 1 and SMALL.count("vectorize") == 1
    subprocess.run([BUILT / "tests/example_diffusion_small"], cwd=folder, check=True,
                   capture_output=True)
    of_cpp = checksum(folder)
    for arguments in ([], ["--goban-threads", "1"], ["--goban-patches", "2,2,1"],
                      ["--goban-devices", "emulated:0,1,2"]):
        (folder / "out/diffusion/summary.json").unlink()
        run(SMALL, folder, *arguments)
        assert checksum(folder) == of_cpp, f"other bits than in C++ with {arguments}"


def check_restart(folder):
    said = run(SMALL.replace("steps=20", "steps=30"), folder, "--goban-restart")
    assert "restarted from out/diffusion/chk/0000020: step 20" in said, said
    gone_on = checksum(folder)
    run(SMALL.replace("steps=20", "steps=30"), folder)
    assert checksum(folder) == gone_on, "a run that went on has other bits"


def check_signal(folder):
    """Ctrl-C saves and stops; the script goes on after run() and may say so."""
    script = SMALL.replace("steps=20", "steps=2000000000").replace(
        "simulation.run()", "simulation.on(lambda *now: open('steps', 'w').close(), at=[5])\n"
        "report = simulation.run()\nprint('ended by', report.ended_by)\n"
        "raise SystemExit(report.exit_code)")
    process = subprocess.Popen([sys.executable, "-c", script], cwd=folder, env=environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wait_for(folder / "steps", process)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 75 and "ended by SIGINT" in said, f"{process.returncode}: {said}"
    newest = max(path.name for path in (folder / "out/diffusion/chk").iterdir() if path.is_dir())
    assert int(newest) > 0, newest


def check_engine_is_interrupted(folder):
    script = SMALL[:SMALL.index("simulation =")] + (
        "engine = goban.Engine(step)\nopen('begun', 'w').close()\ntry:\n    engine.run(10**12)\n"
        "except KeyboardInterrupt:\n    print('after', engine.step, u.sum() > 0)\n")
    process = subprocess.Popen([sys.executable, "-c", script], cwd=folder, env=environment(),
                               stdout=subprocess.PIPE, text=True)
    wait_for(folder / "begun", process)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and re.fullmatch(r"after \d{2,} True\n", said), said


def check_cache(folder):
    cache = folder / "cache"
    both = [subprocess.Popen([sys.executable, "-c", COMPILES.format(factor=3), "0.5"], cwd=folder,
                             env=environment(cache), stdout=subprocess.PIPE, text=True)
            for _ in range(2)]
    assert [process.communicate(timeout=120)[0] for process in both] == ["1.5\n"] * 2
    first = modules(cache)
    assert len(first) == 1, f"two processes have made {len(first)} modules"
    made = first[0].stat().st_mtime_ns
    assert run(COMPILES.format(factor=3), folder, "0.25", cache=cache) == "0.75\n"
    assert modules(cache) == first and first[0].stat().st_mtime_ns == made, "compiled again"
    # Who finds that another compiles waits for it.
    kept = first[0].read_bytes()
    first[0].unlink()
    with open(first[0].with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waits = subprocess.Popen([sys.executable, "-c", COMPILES.format(factor=3), "0.5"],
                                 cwd=folder, env=environment(cache), stdout=subprocess.PIPE,
                                 text=True)
        time.sleep(2)
        assert waits.poll() is None and not first[0].exists(), "it does not wait"
        first[0].write_bytes(kept)
        made = first[0].stat().st_mtime_ns
    assert waits.communicate(timeout=60)[0] == "1.5\n" and first[0].stat().st_mtime_ns == made
    # Nor is a compiler needed where nothing is compiled, as on the nodes of a cluster.
    without = COMPILES.replace("import goban\n", "import goban._compiler\n"
                               "goban._compiler.shutil.which = lambda name: None\n")
    assert run(without.format(factor=3), folder, "0.5", cache=cache) == "1.5\n"
    said = run(without.format(factor=4), folder, "0.5", cache=cache, code=3)
    assert "run the script once where there is one" in said, said
    assert run(COMPILES.format(factor=5), folder, "0.5", cache=cache) == "2.5\n"
    assert len(modules(cache)) == 2, "another text is not compiled anew"
    left = {path.suffix for path in cache.glob("goban/python/*")}
    assert left == {".so", ".cpp", ".lock"}, f"something is left behind: {left}"
    # A module that is broken is not run but named.
    for module in modules(cache):
        module.write_bytes(b"nothing")
    said = run(COMPILES.format(factor=3), folder, "0.5", cache=cache, code=3)
    assert "cannot be loaded" in said and "delete it" in said, said


def check_errors(folder):
    said = run(SOURCE / "tests/python/slips.py", folder, code=2)
    last = said.strip().splitlines()[-1]
    assert re.match(r"goban: .*slips\.py:\d+: a value of cells as a condition", last), said
    assert "Traceback" not in said and "mixes grids" in said, said
    said = run(SMALL, folder, "--goban-nonsense", code=2)
    assert said.endswith("unknown option --goban-nonsense; see --goban-help\n"), said
    said = run(SMALL + "raise ValueError('of the script')\n", folder, code=1)
    assert "Traceback" in said and said.endswith("ValueError: of the script\n"), said
    said = run(SMALL, folder, "--help")
    assert "--goban-restart[=STEP]" in said, said


def check_outputs(folder):
    (folder / "outputs").mkdir()
    said = run(SOURCE / "tests/python/outputs.py", folder / "outputs")
    assert "all outputs\n" in said, said


def check_kernels(folder):
    """Kernels for GPUs that are not there are compiled and kept, given NVRTC."""
    if not os.environ.get("GOBAN_NVRTC"):
        print("no kernels: GOBAN_NVRTC names no NVRTC")
        return
    script = SMALL[:SMALL.index("simulation.output")].replace(
        "grid = ", "goban.rehearse_gpus(90)\ngrid = ") + "simulation.rehearse(9)\n"
    cache = folder / "kernels"
    run(script, folder, "--goban-devices", "cuda", cache=cache)
    assert list(cache.glob("goban/kernels/*.kernel")), "no kernel is kept"


def check_spirals(folder):
    said = run(SOURCE / "examples/python/spirals.py", folder)
    excited = re.search(r"([\d.]+) % of the medium is excited", said)
    assert excited and 15 < float(excited[1]) < 40, said
    assert (folder / "out/spirals/spirals_u_z.0008000.png").exists()


skip_if_impossible()
with tempfile.TemporaryDirectory() as name:
    for check in (check_bits, check_restart, check_signal, check_engine_is_interrupted,
                  check_cache, check_errors, check_outputs, check_kernels,
                  check_spirals):
        check(Path(name))
