"""The program of the README in Python: the bits of the one in C++, however it is run; checkpoints
and signals; errors are one line and their exit code."""

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
SMALL = re.sub(r"raise SystemExit\((simulation.run\(\)).*", r"\1", SMALL)


def checksum(folder):
    return json.loads((folder / "out/diffusion/summary.json").read_text())["checksum"]


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


def check_folder(folder):
    """Output goes where the command line says, or the runtime of the script."""
    run(SMALL, folder, "--goban-out", "there")
    assert (folder / "there/chk/0000020").exists() and not (folder / "out").exists()
    run(SMALL.replace("grid = ", "goban.Runtime(out='of {name}')\ngrid = "), folder)
    assert (folder / "of diffusion/summary.json").exists() and not (folder / "out").exists()


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


def check_forks(folder):
    """A process that is forked has threads of its own."""
    script = '''
import multiprocessing
import sys
import goban
def one(r):
    grid = goban.Grid(64)
    u, next = grid.field("u"), grid.field("next")
    u.fill(lambda x: x)
    step = goban.Program("scale")
    step.apply(lambda u, next, r: next.__setitem__(..., u(1) + r * u()), u, next, r=r)
    step.swap(u, next)
    goban.Engine(step).run(10)
    return u.checksum()
def another(r):
    grid = goban.Grid(64)
    u = grid.field("u")
    step = goban.Program("add")
    step.apply(lambda u: u.__setitem__(..., u() + 5), u)
    goban.Engine(step).run(1)
    return u.sum()
here = one(0.5)
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map_async(one, [0.5] * 3).get(60) == [here] * 3
    assert pool.map_async(another, [0] * 2).get(60) == [320] * 2
print("all equal")
'''
    assert run(script, folder, "--goban-threads", "2") == "all equal\n"
    script = '''
import os
import sys
import goban
u = goban.Grid(64).field("u").fill(1)
if os.fork() == 0:
    u.fill(2)
sys.exit(os.WEXITSTATUS(os.wait()[1]))
'''
    said = run(script, folder, "--goban-devices", "emulated:0,1", code=2)
    assert re.fullmatch("goban: .*: this process was forked from one that .*\n", said), said


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
    for name in ("outputs", "arguments"):
        (folder / name).mkdir()
        said = run(SOURCE / f"tests/python/{name}.py", folder / name)
        assert f"all {name}\n" in said, said


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
    for check in (check_folder, check_bits, check_restart, check_signal,
                  check_engine_is_interrupted, check_forks, check_errors, check_outputs, check_kernels, check_spirals):
        check(Path(name))
