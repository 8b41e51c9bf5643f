"""The program of the README in Python: the bits of the one in C++, however it is run; what is
compiled when; checkpoints and signals; errors are one line and their exit code."""

import fcntl
import json
import os
import re
import shutil
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
        fcntl.lockf(lock, fcntl.LOCK_EX)
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
    # One that is damaged is made anew.
    kept = first[0].read_bytes()
    damaged = (kept, b"nothing", b"", kept[:5000] + b"!" + kept[5001:], kept[:5000])
    for n, content in enumerate(damaged):
        (folder / f"module{n}").write_bytes(content)
    assert run("import goban._compiler\nprint([goban._compiler._is_whole(f'module{n}')"
               " for n in range(5)])", folder) == "[True, False, False, False, False]\n"
    first[0].write_bytes(damaged[-1])
    assert run(COMPILES.format(factor=3), folder, "0.5", cache=cache) == "1.5\n"
    assert len(first[0].read_bytes()) == len(kept), "not made anew"


def check_compiler(folder):
    """What a broken one leaves is not kept; who waits for one is told."""
    cache = folder / "broken"
    broken = folder / "c++"
    with_it = COMPILES.format(factor=3).replace("import goban\n", "import goban._compiler\n"
                                                f"goban._compiler._compiler = lambda: '{broken}'\n")
    for does, says in (("true", "is no module"), ("exit 1", "the compiler said nothing"),
                       ('while [ "$1" != -o ]; do shift; done; echo x >$2', "is no module")):
        broken.write_text(f"#!/bin/sh\n{does}\n")
        broken.chmod(0o755)
        said = run(with_it, folder, "0.5", cache=cache, code=None)
        assert "a functor cannot be compiled" in said and says in said, said
        assert not modules(cache) and not list(cache.glob("goban/python/*.part")), "it is kept"
    done = subprocess.run([sys.executable, "-c", COMPILES.format(factor=3), "0.5"], cwd=folder,
                          env=environment(cache), capture_output=True, text=True)
    assert done.stdout == "1.5\n" and done.stderr == (
        "goban: compiling functors, some seconds each; they are kept\n"), done.stderr


def check_foreign_caches(folder):
    """No code is taken from where others may write, no link followed; the script runs."""
    script = COMPILES.format(factor=3)
    mine = folder / "home/.cache/goban/python"
    (folder / "home/.cache/goban").mkdir(parents=True)
    shutil.copytree(folder / "cache/goban/python", mine)
    said = run(script, folder, "0.5", cache="relative", HOME=str(folder / "home"))
    assert said == "1.5\n" and not (folder / "relative").exists(), said
    (cache := folder / "open").mkdir()
    shutil.copytree(mine, cache / "goban/python")
    (cache / "goban/python").chmod(0o777)
    before = {path.name: path.stat().st_mtime_ns for path in (cache / "goban/python").iterdir()}
    said = run(script, folder, "0.5", cache=cache)
    assert "1.5\n" in said and "others may write to it" in said, said
    after = {path.name: path.stat().st_mtime_ns for path in (cache / "goban/python").iterdir()}
    assert before == after, "it is written to"
    mine_again = folder / "links"
    (mine_again / "goban/python").mkdir(parents=True, mode=0o700)
    (mine_again / "goban").chmod(0o700)
    (mine_again / "goban/python").chmod(0o700)
    victim = folder / "victim"
    for made in list(mine.glob("*")):
        victim.write_text("precious")
        (mine_again / "goban/python" / made.name).symlink_to(victim)
    assert run(script, folder, "0.5", cache=mine_again) == "1.5\n"
    assert victim.read_text() == "precious", "a link was followed"


def check_forks(folder):
    """A process that is forked has threads of its own, and compiles what it needs."""
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
    for check in (check_bits, check_restart, check_signal, check_engine_is_interrupted,
                  check_cache, check_compiler, check_foreign_caches, check_forks, check_errors,
                  check_outputs, check_kernels, check_spirals):
        check(Path(name))
