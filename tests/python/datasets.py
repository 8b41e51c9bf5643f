"""Fields and the files of a run as data sets of xarray, or one line that it is missing."""

import importlib.util
import sys
from pathlib import Path

import numpy as np

import goban

grid = goban.Grid((12, 9), spacing=0.5, origin=(1, 2), boundary=goban.mirror)
u = grid.field("u").fill(lambda x, y: x + 10 * y)
v = grid.field("v", "float32", components=2, location="face_x").fill(lambda x, y: (x, y))
step = goban.Program("step")
step.apply(lambda u: u.__setitem__(..., u() + 1), u)
run = goban.Simulation(grid, step, steps=4, dt=0.25, directory="run", measure_bandwidth=False)
run.output([u], name="values", every=2).output([v], name="other", at_end=True).run()


def expect(condition, what):
    if not condition:
        sys.exit(what)


def refused(attempt, part):
    try:
        attempt()
    except goban.Error as error:
        expect(part in str(error) and "\n" not in str(error), str(error))
        return
    sys.exit(f"{part!r}: not refused")


refused(lambda: goban.open("nothing"), "nothing holds no snapshots")
refused(lambda: goban.open("run"), "name one of 'step_other', 'step_values'")
refused(lambda: goban.open("run", "wrong"), "name one of 'step_other', 'step_values'")
png = u._repr_png_()
expect(png is None or png.startswith(b"\x89PNG") and len(png) > 1000, "no picture in a notebook")
expect(goban.Grid(8).field("line")._repr_png_() is None, "a picture of a line")
missing = [name for name in ("xarray", "h5netcdf", "h5py")
           if importlib.util.find_spec(name) is None]
if missing:
    refused(u.to_xarray if missing[0] == "xarray" else lambda: goban.open("run", "step_values"),
            f"{missing[0]} is not here")
    print(f"no {' and no '.join(missing)} here: data sets are not tested")
    sys.exit()

here = u.to_xarray()
expect(here.dims == ("x", "y") and here.name == "u" and here.attrs["location"] == "cell", "dims")
expect(float(here.sel(x=1.75, y=2.25)) == u[1, 0] == 1.75 + 22.5 + 4, "a value by its place")
faces = v.to_xarray()
expect(faces.dims == ("component_2", "x_face", "y") and faces.x_face[0] == 1, "values on faces")
snapshots = goban.open("run", "step_values")
expect(list(snapshots.time.values) == [0, 0.5, 1] or list(snapshots.time.values) == [0.5, 1],
       f"times {snapshots.time.values}")
last = snapshots.u.isel(time=-1).squeeze("z", drop=True)
expect(np.array_equal(last.transpose("x", "y"), u.numpy()), "values of a snapshot")
expect(np.array_equal(last.x, u.positions("x")), "coordinates of a snapshot")
expect(float((last - here).max()) == 0, "a field beside its snapshot")
expect("v" in goban.open("run", "step_other"), "an output of one snapshot")
part = goban.Grid((8, 8), active=np.tri(8, 8) > 0)
some = part.field("some")
step = goban.Program("step")
step.apply(lambda u: u.__setitem__(..., u() + 1), some)
goban.Simulation(part, step, steps=1, directory="part", measure_bandwidth=False).output(
    some, at_end=True).run()
refused(lambda: goban.open("part"), "its cells are active ones of a box")
lost = Path("run/step_values.0000002.vtkhdf")
lost.write_text("no snapshot")
refused(lambda: goban.open("run", "step_values"), f"cannot read {lost}")
lost.unlink()
refused(lambda: goban.open("run", "step_values"), f"cannot read {lost}")
Path("run/step_other.vtkhdf.series").write_text("{")
refused(lambda: goban.open("run", "step_other"), "cannot read run/step_other.vtkhdf.series (")
print("all data sets")
