"""Everything that a simulation is told by a script reaches the run: files, calls, ends of runs."""

import csv
import json
import os
import sys
from pathlib import Path

import numpy as np

import goban


def expect(condition, what):
    if not condition:
        sys.exit(what)


def diffuse(u, next, r):
    next[...] = u() + r * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1)
                           + u(0, 0, -1) - 6 * u())


def table(name):
    with open(name, encoding="utf-8") as file:
        return list(csv.reader(file))


grid = goban.Grid((16, 12, 8), 0.5)
u, next = grid.field("u", "float32"), grid.field("next", "float32")
double = grid.field("double", "float32")
most = goban.Parameter("most")
step = goban.Program("diffusion")
step.apply(diffuse, u, next, r=0.1)
step.swap(u, next)
doubling = goban.Program("double")
doubling.apply(lambda u, double: double.__setitem__(..., 2 * u()), u, double)
look = goban.Program("look")
look.reduce(lambda u: u(), u, how="maximum", into=most)


def start():
    u.fill(lambda x, y, z: np.exp(-(x - 4)**2) + 0 * y * z)


# Files.
start()
run = goban.Simulation(grid, step, steps=20, dt=0.5, directory="files", name="case", title="Heat",
                       length_unit="m", time_unit="s", measure_bandwidth=False)
calls = []
run.output([(u, "K"), double], every=10)
run.picture(u, axis="y", position=1.0, colors="diverging", range=(0, 1), outline=double,
            at_end=True)
run.picture(u, axis="z", mask=double, format="svg", vertical_exaggeration=2, at_end=True)
run.series("numbers", [goban.sum_of(u), goban.mean_of(u, unit="K"), goban.minimum_of(u),
                       goban.maximum_of(u), goban.value_at(u, (4, 1, 1)),
                       goban.interpolated_at(u, (4, 1, 1)), most, (most, "K"),
                       ("twice", "K", lambda: 2 * u.sum())], every=5)
run.probe([u], [(4, 1, 1), (1, 1, 1)], at=[10, 20])
run.line("across", [u], (0, 1, 1), (8, 1, 1), every_time=5.0)
run.plane("middle", [u], axis="x", position=4.0, at_end=True)
run.statistics(u, start=1.0, every=2)
run.averages("profile", [u, double], axis="x", covariances=[("u", "double")], every=2)
run.output(lambda step, time, wall: u.numpy()[0] + step, name="plane", every=10)
run.output(lambda step, time, wall: {"k": [1, 2], ("u", "K"): u[0, 0, :2]} if step else None,
           name="corner", at=[0, 20])
run.derive(doubling).keep(most)
run.checkpoint(every=10, keep=1, last=False)
run.on(lambda step, time, wall: calls.append((step, time, double.sum() / u.sum())), at=[2.5])
run.adjust(lambda step, time, wall: most.__setattr__("value", step), every=5)
run.results(lambda: {"heat": u.sum()}, {"heat": "J"})
expect("files" in run.dry_run() and not Path("files").exists(), "dry_run makes files")
expect("u: float32 x 1" in run.describe(), "describe says nothing of u")
report = run.run()
expect(report.finished and report.last_step == 20 and report.time == 10, report)
expect(report.ended_by == "steps", report)
names = sorted(os.listdir("files"))
for wanted in ("case_u_double.xdmf", "case_u_y.0000020.png", "case_u_z.0000020.svg",
               "case_numbers.csv", "case_probes.csv", "case_across.0000020.csv",
               "case_middle.xdmf", "case_profile.0000020.csv",
               "case_u_statistics.0000020", "chk", "summary.json", "run.toml"):
    expect(any(wanted in name for name in names), f"no {wanted} among {names}")
expect(np.array_equal(np.load("files/case_plane.0000020.npy"), u.numpy()[0] + 20), "an array")
expect(table("files/case_corner.0000020.csv")[:2] == [["k", "u [K]"], ["1", repr(float(u[0, 0, 0]))]],
       table("files/case_corner.0000020.csv"))
expect("case_corner.0000000.csv" not in names, "None is written")
rows = table("files/case_numbers.csv")
expect(rows[0] == ["step", "time [s]", "sum of u", "mean of u [K]", "minimum of u", "maximum of u",
                   *rows[0][6:8], "most", "most [K]", "twice [K]"], rows[0])
expect([row[0] for row in rows[1:]] == ["0", "5", "10", "15", "20"], rows)
last = list(map(float, rows[-1]))
expect(last[1:6] == [10.0, u.sum(), u.sum() / u.numpy().size, u.minimum(), u.maximum()], last)
expect(last[6] == u[8, 2, 2] and abs(last[7] - u[7:9, 1:3, 1:3].mean()) < 1e-6, last)
expect(last[8:] == [20.0, 20.0, 2 * u.sum()], last)
expect(len(table("files/case_probes.csv")) == 3, "probes")
expect(calls == [(5, 2.5, 2.0)], f"on: {calls}")
summary = json.loads(Path("files/summary.json").read_text(encoding="utf-8"))
expect(summary["results"] == {"heat": u.sum()}, summary["results"])
expect("case_plane.0000010.npy" in str(summary["outputs"]), summary["outputs"])
expect(summary["units"]["heat"] == "J", summary["units"])
expect(os.listdir("files/chk") and "0000010" not in os.listdir("files/chk"), "keep=1 keeps more")
of_run = u.checksum()

# From a checkpoint: the bits of a run that was never stopped.
start()
def heat(step, time, wall):
    return u.numpy().sum(axis=(1, 2))


first = goban.Simulation(grid, step, steps=8, dt=0.5, directory="parts", measure_bandwidth=False)
first.output(heat, every=4).checkpoint(at_end=True)
first.run()
kept = Path("parts/diffusion_heat.0000004.npy").read_bytes()
Path("parts/diffusion_heat.0000011.npy").write_bytes(kept)  # of a run that was killed after step 8
u.fill(0)
second = goban.Simulation(grid, step, steps=20, dt=0.5, directory="parts", restart="newest",
                          measure_bandwidth=False)
report = second.output(heat, every=4).run()
names = sorted(name for name in os.listdir("parts") if "heat" in name)
expect(names == [f"diffusion_heat.{n:07}.npy" for n in (0, 4, 8, 12, 16, 20)], names)
expect(Path("parts/diffusion_heat.0000004.npy").read_bytes() == kept, "an earlier file has changed")
expect(report.restarted and report.first_step == 8 and u.checksum() == of_run, report)

# Ends that follow from a number, from the time, and a time step that a schedule shortens.
start()
until = goban.Simulation(grid, step, directory="until", measure_bandwidth=False)
report = until.stop_when(most < 0.9, 2, look).run()
expect("most < 0.9" in report.ended_by and most.value < 0.9 and report.last_step % 2 == 0, report)
dt, limit = goban.Parameter("dt", 0.3), goban.Parameter("limit")
shortened = goban.Program("shortened")
shortened.compute(lambda limit: goban.min(0.3, limit), limit, into=dt)
shortened.apply(diffuse, u, next, r=0.1)
shortened.swap(u, next)
seen = []
timed = goban.Simulation(grid, shortened, end=1.0, dt=dt, dt_limit=limit, directory="timed",
                         measure_bandwidth=False)
timed.on(lambda step, time, wall: seen.append(time), every_time=0.5)
report = timed.run()
expect(seen == [0, 0.5, 1.0] and report.time == 1.0 and report.last_step == 4, f"{seen} {report}")

# What is no output is refused, with the line of the script.
for wrong, part in ((lambda *now: 1.0, "a float is neither"), (lambda *now: {"a": 1}, "a dict is"),
                    (lambda *now: {"a": [1], "b": [1, 2]}, "a dict is"),
                    (lambda *now: {("a", 1): [1]}, "a dict is")):
    try:
        goban.Simulation(grid, step, steps=1, directory="wrong", measure_bandwidth=False).output(
            wrong, name="wrong", every=1).run()
        sys.exit(f"{part}: not refused")
    except goban.Error as error:
        expect(part in str(error) and "\n" not in str(error), str(error))

# A file that cannot be written is what other outputs are: lost with a warning, or the end.
Path("lost/diffusion_rows.0000001.npy").mkdir(parents=True)
for how in ("warn", "stop"):
    lost = goban.Simulation(grid, step, steps=2, directory="lost", if_unwritable=how,
                            measure_bandwidth=False)
    try:
        lost.output(lambda *now: np.arange(3), name="rows", every=1).run()
        expect(how == "warn" and Path("lost/diffusion_rows.0000002.npy").exists(), how)
    except goban.Error as error:
        expect(how == "stop" and error.code == 4 and "rows.0000001.npy" in str(error), str(error))
        expect("rows.0000001.npy" in Path("lost/STATUS").read_text(encoding="utf-8"), "why it failed")

# Of a vector a picture shows a component, the first, or the magnitude of all.
wind = grid.field("wind", components=3).fill(lambda x, y, z: (x, 2 * y, -z))
shown = goban.Simulation(grid, step, steps=1, directory="vector", measure_bandwidth=False)
shown.picture(wind, name="first", every=1).picture(wind, name="third", component=2, every=1)
shown.picture(wind, name="all", magnitude=True, every=1).checkpoint(at_end=True).run()
x, y, z = wind.numpy()[:, :, :, 4]
for name, value in ("first", x), ("third", z), ("all", np.sqrt(x**2 + y**2 + z**2)):
    kept = np.load(f"vector/.frames/diffusion_{name}.0000001.npy").squeeze()
    expect(np.allclose(kept.T if kept.shape != value.shape else kept, value), name)

# A solution that blows up ends with its own exit code.
u.fill(1e30)
u[3, 3, 3] = -1e30
try:
    goban.Simulation(grid, goban.Program("bad").repeat(1, step), steps=2000, nan_check=10,
                     directory="bad", advice_on_divergence="mind the number 7",
                     measure_bandwidth=False).adjust(
        lambda step, time, wall: step == 5 and u.__setitem__((0, 0, 0), np.inf), every=5).run()
    sys.exit("infinity is not noticed")
except goban.Error as error:
    expect(error.code == 5 and "mind the number 7" in str(error), f"{error.code} {error}")
print("all outputs")
