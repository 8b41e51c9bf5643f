"""What tests of the package have in common: where it is, and a script run as a user runs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])
BUILT = Path(os.environ["GOBAN_BINARY_DIR"])
PACKAGE = BUILT / "lib/goban/python"
CACHE = BUILT / "tests/cache/python"  # what is kept for later runs
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def why_not():
    """Why the package cannot be tested here; empty: it can."""
    if "-fsanitize" in (BUILT / "CMakeCache.txt").read_text(encoding="utf-8"):
        return "a Python that is no sanitizer's cannot load goban's library"
    try:
        import numpy  # noqa: F401
    except ImportError:
        return "no NumPy here"
    return ""


def skip_if_impossible():
    if why_not():
        print(why_not())
        sys.exit(77)


def environment(cache=CACHE, **more):
    return {**os.environ, **MPI, "PYTHONPATH": str(PACKAGE), "XDG_CACHE_HOME": str(cache),
            "GOBAN_BUILDER": "", **more}


def run(script, folder, *arguments, code=0, launcher=(), cache=CACHE, python=sys.executable, **more):
    """Runs a file of Python, or a text of it. Returns standard output and error together. `code`:
    how it is to end; None: with an error, whose code an MPI makes its own of. `more`: of the
    environment.
    """
    if not isinstance(script, Path):
        file = Path(folder) / "script.py"
        file.write_text(script)
        script = file
    done = subprocess.run([*launcher, python, str(script), *arguments], cwd=folder,
                          capture_output=True, text=True, timeout=300,
                          env=environment(cache, **more))
    said = done.stdout + done.stderr
    is_as_wanted = done.returncode != 0 if code is None else done.returncode == code
    assert is_as_wanted, f"{script} {arguments} ends with {done.returncode}:\n{said}"
    return said


def has_gpu():
    try:
        found = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True)
    except FileNotFoundError:
        return False
    return found.returncode == 0 and "GPU 0" in found.stdout


def launchers():
    """mpirun of every MPI that goban was built for."""
    for mpi in ("openmpi", "mpich"):
        mpirun = shutil.which(f"mpirun.{mpi}")
        if mpirun and (BUILT / f"lib/goban/libgoban-mpi-{mpi}.so").exists():
            yield mpirun
