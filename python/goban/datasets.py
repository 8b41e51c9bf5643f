"""Fields and files of a run as data sets of xarray."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from goban._arguments import checked
from goban.errors import FILES, Error, refuse

if TYPE_CHECKING:
    from goban.field import Field

_SUFFIX = ".vtkhdf.series"


def _xarray(*others: str) -> Any:
    try:
        import xarray
        for other in others:
            __import__(other)
    except ImportError as error:
        refuse(f"{error.name} is not here", "arrays with coordinates are those of xarray",
               " ".join(("pip install xarray", *others)))
    return xarray


def data_array(field: Field) -> Any:
    """Dimensions are called as in files: x, x_face where values lie on faces, component_3."""
    xarray = _xarray()
    names = [axis + "_face" if field.is_staggered(axis) else axis
             for axis in "xyz"[:field.grid.dimensions]]
    coordinates = {name: field.positions(name[0]) for name in names}
    if field.components > 1:
        names.insert(0, f"component_{field.components}")
    return xarray.DataArray(field.numpy(), coordinates, names, name=field.name,
                            attrs={"location": field.location})


@contextlib.contextmanager
def _says_which_file(path):
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError) as error:
        why = " ".join(str(error).split())
        raise Error(f"cannot read {os.fspath(path)}", why, "is it complete, and of this run?",
                    code=FILES) from None


@checked
def open(folder: Union[str, os.PathLike[str]], name: Optional[str] = None) -> Any:
    """Snapshots of a run as one xarray.Dataset: fields by name, with coordinates and times; values
    are read when they are asked for. `name`: of the output, where the run has several.

    >>> heat = goban.open("out/plate")  # doctest: +SKIP
    >>> heat.t.sel(x=0.6, y=0.4, method="nearest").plot()  # doctest: +SKIP
    """
    found = {path.name[:-len(_SUFFIX)]: path for path in sorted(Path(folder).glob("*" + _SUFFIX))}
    if not found:
        raise Error(f"{os.fspath(folder)} holds no snapshots", f"there is no *{_SUFFIX}",
                    "give the folder of a run with an output", code=FILES)
    if name is None and len(found) > 1 or name is not None and name not in found:
        refuse(f"the snapshots of {os.fspath(folder)} are several" if name is None else
               f"{os.fspath(folder)} holds no snapshots '{name}'", "",
               f"name one of {', '.join(map(repr, found))}")
    xarray = _xarray("h5netcdf", "h5py")
    path = found[name] if name is not None else next(iter(found.values()))
    with _says_which_file(path):
        names = [path.parent / one["name"] for one in json.loads(path.read_text("utf-8"))["files"]]
    parts = []
    for snapshot in names:
        with _says_which_file(snapshot):
            parts.append(xarray.open_dataset(snapshot, engine="h5netcdf"))
        if not parts[-1].data_vars:
            refuse(f"{snapshot} is refused", "its cells are active ones of a box: it has no axes",
                   "read it as VTKHDF, with h5py or ParaView")
    return xarray.concat(parts, "time", data_vars="all") if len(parts) > 1 else parts[0]
