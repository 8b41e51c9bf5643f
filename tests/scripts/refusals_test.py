#!/usr/bin/env python3
"""What cannot be computed, shown or repaired ends with one line and its exit code."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

GOBAN, SOURCE = os.environ["GOBAN"], Path(os.environ["GOBAN_SOURCE"])
USAGE, RESOURCES, FILES, DIVERGED, NO_CHECKPOINT = 2, 3, 4, 5, 7
ROLLS, PIPE = "flow/rolls", "flow/cylinder"
WAVE, LAMB, LOH = "seismic/plane_wave", "seismic/lamb", "seismic/loh1"
HEAT, LIFE = "heat/hotspot", "life/oscillators"
VESSEL = "blood/pipe"
FILE = {"empty.csv": "t,v\n", "back.csv": "t,v\n0,1\n2,1\n1,0\n", "notes.txt": "text"}

CASES = [
    # Neumann sides all around, and more enters than leaves.
    (PIPE, ['boundary.x=["inflow", "wall"]'], USAGE, "what flows in has no way out"),
    (ROLLS, ["grid.cells=[4003, 4, 1]", "grid.spacing=[100, 0.25, 1]"], USAGE,
     "multigrid cannot solve on 4003 x 4 x 1 cells"),
    (ROLLS, ["pressure.tolerance=1e-30", "pressure.limit=3"], DIVERGED, "did not converge"),
    (ROLLS, ["pressure.solver=jacobi", "pressure.tolerance=1e-12", "pressure.limit=20"], DIVERGED,
     "did not converge"),
    (ROLLS, ["scheme.courant=1.5"], USAGE, "the scheme holds up to 1"),
    (ROLLS, ["time.dt=1"], USAGE, "the scheme is stable up to"),
    (ROLLS, ["time.dt=5e-5", "flow.gravity=[0, -1e7, 0]", "scheme.time=rk3"], DIVERGED,
     "the Courant number is"),
    (PIPE, ["pressure.solver=fourier"], USAGE, "around solids there are no waves"),
    (ROLLS, ["pressure.solver=fourier"], RESOURCES, "there is no nothing.so"),
    (ROLLS, ["output.spectrum.every=1"], USAGE, "the grid is not periodic along y"),
    (VESSEL, ["run.partition=scotch", "run.patches=[2, 1, 1]"], RESOURCES,
     "there is no nothing.so"),
    (VESSEL, ["run.parts=100000"], USAGE, "tiles of 8^3"),
    (WAVE, ["initial.waves=[0, 0, 0]"], USAGE, "the wave has no direction"),
    (WAVE, ["output.seismograms.formats=[\"sax\"]"], USAGE, "unknown format sax"),
    (WAVE, ["initial.direction=[2, 1, 1]"], USAGE, "an S wave moves across its way"),
    (LAMB, ["output.seismograms.formats=[\"sax\"]"], USAGE, "unknown format sax"),
    (LAMB, ["output.seismograms.formats=[]"], USAGE, "seismograms have no format"),
    (LAMB, ["receiver.0.position=[1e9, 0, 0]"], USAGE, "the receiver lies outside the grid"),
    (LAMB, ["reference.0.file={folder}/back.csv", "reference.0.columns=[]"], USAGE,
     "columns and quantities do not match"),
    (LAMB, ["reference.0.file={folder}/back.csv", "reference.0.quantities=[\"colour\"]"], USAGE,
     "unknown quantity colour"),
    (LAMB, ["source.0.time=file", "source.0.file={folder}/empty.csv"], FILES,
     "it has no rows of numbers"),
    (LAMB, ["source.0.time=file", "source.0.file={folder}/back.csv"], FILES,
     "its times do not grow"),
    (LOH, ["source.0.position=[0, 0, 1]"], USAGE, "a moment so near to the surface is refused"),
    (LOH, ["layer.1.top=0"], USAGE, "the layer is not below the one before it"),
    (LAMB, ["layer.0.vs=0", "layer.0.q_s=50", "layer.0.q_p=50"], USAGE, "a fluid has no q_s"),
    (LAMB, ["layer.0.density_gradient=-10"], USAGE, "the gradients of a layer are refused"),
    (LAMB, ["scheme.dimensions=2", "grid.cells=[210, 1, 100]", "grid.origin=[-2.2, 0, 0]",
            "source.0.force=[0, 1, 0]"], USAGE,
     "the source leaves the plane"),
    (WAVE, ["scheme.dimensions=2", "grid.cells=[64, 1, 40]"], USAGE, "the wave leaves the plane"),
    ("flow/channel", ["output.averages.0.covariances=[\"velocity[0]\"]"], USAGE, "is no pair"),
    ("graph500/small", ["graph.generator=file", "graph.file={folder}/notes.txt", "graph.scale=9"],
     USAGE, "graph.file has its own size"),
    (HEAT, ["medium.conductivity=0"], USAGE, "no time step can be chosen"),
    (HEAT, ["boundary.x=periodic 3"], USAGE, "periodic takes no value"),
    (HEAT, ["initial.0.file={folder}/notes.txt"], USAGE, "belong together"),
    (HEAT, ["initial.0.functions=[\"sinus\", \"sine\", \"sine\"]"], USAGE, "unknown function sinus"),
    (HEAT, ["output.picture.0.component=1"], USAGE, "component 1 is out of range"),
    (HEAT, ["output.picture.0.index=99"], USAGE, "the picture's plane lies outside the grid"),
    (HEAT, ["output.picture.0.position=1"], USAGE, "the picture's plane lies outside the grid"),
    (HEAT, ["output.picture.0.range=[2, 1]"], USAGE, "the range of the colour bar is empty"),
    (HEAT, ["output.line.0.name=a", "output.line.0.fields=[\"temperature\"]",
            "output.line.0.from=[0, 0, 0]", "output.line.0.to=[0, 0, 0]"], USAGE,
     "the line has no length"),
    (HEAT, ["output.line.0.name=a", "output.line.0.fields=[\"temperature\"]",
            "output.line.0.from=[0, 0, 0]", "output.line.0.to=[9, 0, 0]"], USAGE,
     "the line lies outside the grid"),
    (HEAT, ["checkpoint.local.every=10"], USAGE, "there is no place on the nodes to save to"),
    (HEAT, ["checkpoint.local.folder={folder}/nodes"], USAGE, "nothing would be saved on the nodes"),
    (LIFE, ["rule.bays=12"], USAGE, "four digits are expected"),
    (LIFE, ["rule.bays=4555", "rule.survive=[4]"], USAGE, "say it otherwise"),
    (LIFE, ["grid.cells=[3, 3, 3]"], USAGE, "does not fit the grid"),
]

COMMANDS = [
    (["checkpoint", "list", "{folder}/nowhere"], FILES, "no such folder"),
    (["checkpoint", "list", "{folder}/bare"], NO_CHECKPOINT, "no checkpoints in"),
    (["checkpoint", "convert", "{folder}/bare", "{folder}/new"], NO_CHECKPOINT, "no checkpoints in"),
    (["checkpoint", "repair", "{folder}/bare"], USAGE, "nothing can be repaired in"),
    (["view", "{folder}/nowhere"], FILES, "no such file or folder"),
    (["view", "{folder}/bare"], FILES, "nothing to show in"),
    (["view", "{folder}/notes.txt"], USAGE, "it is of an unknown kind"),
    (["bench", "heat"], USAGE, "seismic8, gray_scott, poisson); did you mean heat7?"),
    (["predict", f"{SOURCE}/cases/heat/hotspot.toml", "--machine", "{folder}/broken.toml"], USAGE,
     "must be positive"),
]


def refusal(words, code, text, folder):
    words = [word.replace("{folder}", folder) for word in words]
    run = subprocess.run([GOBAN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env={**os.environ, "GOBAN_FFTW": "nothing.so",
                              "GOBAN_SCOTCH": "nothing.so"})
    lines = [line for line in run.stderr.splitlines() if line.startswith("goban: ")]
    if run.returncode == code and len(lines) == 1 and text in lines[0]:
        return True
    print(f"{' '.join(words)}\nended with {run.returncode}, not {code}, and this without '{text}':\n"
          f"{run.stderr[-600:]}")
    return False


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILE.items():
            (Path(folder) / name).write_text(content)
        (Path(folder) / "bare").mkdir()
        machine = (SOURCE / "machines/h200.toml").read_text().splitlines()
        (Path(folder) / "broken.toml").write_text("\n".join(
            "memory_bandwidth = 0" if line.startswith("memory_bandwidth") else line
            for line in machine))
        known = ["run.machine=xeon-core"]  # or it would be measured; searches in graphs need none
        found = [refusal(["run", str(SOURCE / f"cases/{case}.toml"), *keys, "run.threads=1",
                          *([] if case.startswith("graph500") else known), "--out", f"{folder}/run",
                          "--overwrite"], code, text, folder)
                 for case, keys, code, text in CASES]
        found += [refusal(words, code, text, folder) for words, code, text in COMMANDS]
        sys.exit(0 if all(found) else 1)


main()
