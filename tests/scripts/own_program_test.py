"""A program that somebody wrote with goban, the one the documentation shows at a small size: its
options, how it goes on from its checkpoints, what becomes of those of earlier runs."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

BUILT = Path(os.environ["GOBAN_BINARY_DIR"])
PROGRAM = BUILT / "tests/example_diffusion_small"
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def run(folder, *arguments, code=0, launcher=()):
    done = subprocess.run([*launcher, PROGRAM, *arguments], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, **MPI})
    assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    checkpoints = folder / "out/diffusion"

    for asked in ["--help", "--goban-help"]:
        said = run(folder, asked)
        assert "--goban-restart[=STEP]" in said and "newest good checkpoint" in said, said
    for mpi in ["openmpi", "mpich"]:
        mpirun = shutil.which(f"mpirun.{mpi}")
        if mpirun and (BUILT / f"lib/goban/libgoban-mpi-{mpi}.so").exists():
            said = run(folder, "--help", launcher=[mpirun, "-n", "2"])
            assert said.count("--goban-restart") == 1, said
            said = run(folder, "--goban-predict", "1", launcher=[mpirun, "-n", "2"], code=2)
            assert "run.predict is refused on several ranks" in said, said
    said = run(folder, "--goban-predict", "1,8", "--goban-machine", "h200")
    assert said.startswith("diffusion on H200 hosts, strong scaling\nNVIDIA H200"), said
    assert re.search(r"^ +1  48x40x32 ", said, re.M), said
    assert re.search(r"^ +8  48x(40x4 +1x1x8|5x32 +1x8x1) ", said, re.M), said
    assert "\n20 steps\n" in said, said
    said = run(folder, "--goban-predict=1,0", code=2)
    assert "--goban-predict=1,0 is refused" in said, said
    said = run(folder, "--goban-predict=8", "--goban-machine", "h200", "--goban-transport", "host", code=2)
    assert said.startswith("goban: run.transport cannot be predicted"), said

    said = run(folder, "--goban-dry-run", code=2)
    assert said == "goban: unknown option --goban-dry-run; see --goban-help\n", said
    assert not checkpoints.exists(), "it has computed"

    said = run(folder, "--goban-restart")
    assert "no checkpoint in out/diffusion yet: starting from the beginning" in said, said
    said = run(folder, "--goban-restart")
    assert "restarted from out/diffusion/chk/0000020: step 20" in said, said
    said = run(folder, "--goban-restart=7", code=7)
    assert said.endswith("goban: there is no checkpoint of step 7 (in out/diffusion/chk)\n"), said

    for number in (1, 2):
        said = run(folder)
        assert f"checkpoints of an earlier run are now in out/diffusion/chk.old.{number}" in said, said
    for old in ["chk", "chk.old.1", "chk.old.2"]:
        assert (checkpoints / old / "0000020/manifest.json").exists(), f"{old} is gone"
