"""Figures of fields and of snapshots, where matplotlib and pyvista are; one line where they are not."""

import importlib.util
import os
import sys

import numpy as np

import goban

os.environ["MPLBACKEND"] = "Agg"


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


plate = goban.Grid((12, 8), spacing=0.5)
t = plate.field("t").fill(lambda x, y: x + 10 * y)
v = plate.field("v", components=2).fill(lambda x, y: (3 * x, 4 * x + 0 * y))
cube = goban.Grid((6, 5, 4), spacing=1.0)
w = cube.field("w").fill(lambda x, y, z: x + 10 * y + 100 * z)
refused(lambda: goban.plot.slice(np.eye(3)), "ndarray cannot be shown")
refused(lambda: goban.plot.slice(t, component=1), "component 1 of 't' cannot be shown")
refused(lambda: goban.plot.slice(goban.Grid(8).field("l")), "'l' has no planes")
refused(lambda: goban.plot.profile(w, "y", through=[1.0]), "'w' has 2 other axes")
refused(lambda: goban.plot.streamlines([t]), "1 fields are no velocity")
refused(lambda: goban.plot.isosurface(t, 5.0), "'t' has no surfaces")
refused(lambda: goban.plot.slice(w, axis="r"), "axis 'r' is refused")
missing = [name for name in ("matplotlib", "pyvista", "xarray", "h5netcdf", "h5py")
           if importlib.util.find_spec(name) is None]
if "matplotlib" in missing:
    refused(lambda: goban.plot.slice(t), "matplotlib is not here")
    print("no matplotlib here: figures are not drawn")
else:
    import matplotlib.pyplot as plt

    mesh = goban.plot.slice(t, cmap="magma")
    expect(np.array_equal(mesh.get_array().reshape(8, 12), t.numpy().T), "colours of a plane")
    expect(plt.gca().get_aspect() == 1 and mesh.axes.get_xlabel() == "x", "axes of a plane")
    mesh = goban.plot.slice(w, "y", 2.4, ax=plt.figure().add_subplot(), colorbar=False)
    expect(np.array_equal(mesh.get_array().reshape(4, 6), w[:, 2].T), "a plane by its place")
    expect(mesh.axes.get_ylabel() == "z", "axes of a plane across y")
    mesh = goban.plot.slice(v, component="magnitude", ax=plt.figure().add_subplot())
    expect(np.allclose(mesh.get_array().reshape(8, 12)[0], 5 * t.positions("x")), "a magnitude")
    lines = goban.plot.contour(t, levels=[10.0, 20.0], ax=plt.figure().add_subplot())
    x, y = next(iter(lines.allsegs[0])).T
    expect(np.allclose(x + 10 * y, 10), "a line of equal values")
    curve = goban.plot.profile(w, "y", through=(2.5, 0.5), ax=plt.figure().add_subplot())
    expect(np.array_equal(curve.get_xydata(), np.stack([w.positions("y"), w[2, :, 0]]).T), "a line")
    curve = goban.plot.profile(w, "z")
    expect(np.allclose(curve.get_ydata(), w.numpy().mean(axis=(0, 1))), "means of planes")
    faces = [plate.field(name, location=f"face_{axis}").fill(lambda x, y: 1 + 0 * x * y)
             for name, axis in (("a", "x"), ("b", "y"))]
    for velocity in (v, faces):
        drawn = goban.plot.streamlines(velocity, ax=plt.figure().add_subplot()).lines
        expect(len(drawn.get_segments()) > 10, "no streamlines")
    x, y = drawn.get_segments()[0].T
    expect(np.allclose(np.diff(x), np.diff(y)) and x[0] != x[-1], "no line along (1, 1)")
    if not {"xarray", "h5netcdf", "h5py"} & set(missing):
        step = goban.Program("step")
        step.apply(lambda t: t.__setitem__(..., t() + 1), t)
        run = goban.Simulation(plate, step, steps=2, directory="run", measure_bandwidth=False)
        run.output([(t, "K")], every=1).run()
        at_last = goban.open("run").t
        mesh = goban.plot.slice(at_last, ax=plt.figure().add_subplot())
        expect(np.array_equal(mesh.get_array().reshape(8, 12), t.numpy().T), "a snapshot")
        earlier = goban.plot.slice(at_last, step=-2, ax=plt.figure().add_subplot())
        expect(np.allclose(earlier.get_array() + 1, mesh.get_array()), "an earlier snapshot")
        expect("t (K)" in [axes.get_ylabel() for axes in mesh.axes.figure.axes], "no unit")
if "pyvista" in missing:
    refused(lambda: goban.plot.isosurface(w, 200.0), "pyvista is not here")
else:
    surface = goban.plot.isosurface(w, 200.0)
    x, y, z = surface.points.T
    expect(len(surface.points) > 10 and np.allclose(x + 10 * y + 100 * z, 200, atol=1e-3), "surface")
if missing:
    print(f"no {', no '.join(missing)} here: not all figures are tested")
print("all figures")
