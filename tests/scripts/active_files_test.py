"""Snapshots of active cells are meshes that others read: examples/porous leaves unit cubes whose
corners are shared, each with the temperature of its place, beside a mesh that all snapshots have.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

try:
    import h5py
except ImportError:
    print("no h5py here")
    sys.exit(77)

PROGRAM = Path(os.environ["GOBAN_BINARY_DIR"]) / "bin/example_porous"
if not PROGRAM.exists():
    print("the examples are not built")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([PROGRAM, "--goban-threads", "1"], cwd=folder, check=True, timeout=300)
    run = Path(folder) / "out/porous"
    with h5py.File(run / "porous_temperature.0020000.vtkhdf") as file:
        mesh = file["VTKHDF"]
        assert mesh.attrs["Type"] == b"UnstructuredGrid"
        assert isinstance(mesh.get("Points", getlink=True), h5py.ExternalLink)
        temperature, points = mesh["CellData/temperature"][...], mesh["Points"][...]
        corners = mesh["Connectivity"][...].reshape(-1, 8)
        assert list(mesh["NumberOfCells"]) == [len(temperature)] == [len(corners)]
        assert list(mesh["NumberOfPoints"]) == [len(points)]
        assert np.array_equal(mesh["Offsets"][...], 8 * np.arange(len(corners) + 1))
        assert (mesh["Types"][...] == 12).all()  # hexahedra
    assert len(np.unique(points, axis=0)) == len(points)
    cube = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
    assert (points[corners] - points[corners[:, :1]] == cube).all()
    lower = points[corners[:, 0]]
    assert len(np.unique(lower, axis=0)) == len(lower)
    x, y, z = (2 * np.pi * (lower + 0.5) / 24).T
    sheet = np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)
    assert (abs(sheet) < 0.5).all()
    assert np.corrcoef(temperature, -x)[0, 1] > 0.99  # it falls from the hot side to the cold one
    index = (run / "porous_temperature.xdmf").read_text()
    assert 'TopologyType="Hexahedron"' in index and "porous_temperature.cells.vtkhdf" in index
print(f"{len(corners)} cells, {len(points)} corners")
