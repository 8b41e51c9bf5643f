"""Memory of the script's that fields lie in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from goban._arguments import ElementType, checked
from goban.errors import refuse

_LINE = 128  # bytes on whose multiples rows start


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


@checked
def zeros(cells: Union[int, Sequence[int]], type: ElementType = "float64", components: int = 1,
          halo: int = 2, xp: Any = np) -> Any:
    """An array of zeros that a field may lie in: Field(..., storage=array). Axes are those of
    Field.numpy(), (x, y, z) or (component, x, y, z); there is memory around the values for a halo
    of so many cells. `xp`: numpy, or cupy for a field of a GPU.

    >>> a = goban.zeros((64, 48), "float32")
    >>> u = goban.Grid((64, 48)).field("u", "float32", storage=a)
    """
    dtype, given = np.dtype(type), [cells] if isinstance(cells, int) else cells
    size, n = dtype.itemsize, [*given, *[1] * (3 - len(given))]
    beyond = [halo if extent > 1 else 0 for extent in n]
    room = [extent + 2 * halo + 1 if extent > 1 else 1 for extent in n]
    pitch = _up(room[0] * size, _LINE)
    plane = pitch * room[1]
    component = plane * room[2] + 17 * _LINE  # not at the same place of a page
    before = _up(beyond[0] * size, _LINE) + 2 * _LINE + beyond[1] * pitch + beyond[2] * plane
    memory = xp.zeros(before + component * components + plane + 3 * _LINE, "uint8")
    before += -(_address(memory) + before) % _LINE
    strides = (size, pitch, plane)[:len(given)]
    shape = tuple(given)
    if components > 1:
        shape, strides = (components, *shape), (component, *strides)
    if xp is np:
        return np.ndarray(shape, dtype, memory, before, strides)
    return xp.ndarray(shape, dtype, memory.data + before, strides)


def _interface(array: Any) -> dict[str, Any]:
    found = getattr(array, "__cuda_array_interface__", None)
    return found if found is not None else array.__array_interface__


def _address(array: Any) -> int:
    return int(_interface(array)["data"][0])


def _bounds(array: Any) -> tuple[int, int]:
    """Addresses of the memory that the array is a part of: of NumPy, of CuPy, of PyTorch."""
    if hasattr(array, "untyped_storage"):
        memory = array.untyped_storage()
        return memory.data_ptr(), memory.data_ptr() + memory.nbytes()
    if hasattr(array, "__cuda_array_interface__"):
        memory = array.data.mem
        return memory.ptr, memory.ptr + memory.size
    while isinstance(array.base, np.ndarray):
        array = array.base
    last = sum((n - 1) * step for n, step in zip(array.shape, array.strides))
    return _address(array), _address(array) + last + array.itemsize


def place_of(array: Any, name: str, shape: tuple[int, ...], dtype: np.dtype[Any],
             components: int) -> list[int]:
    """What the library needs to know of an array that is to be the memory of a field."""
    problem = f"field '{name}' cannot lie in the array that is given"
    if not hasattr(array, "__cuda_array_interface__") and not isinstance(array, np.ndarray):
        refuse(problem, f"{type(array).__name__} is no array of NumPy and none of a GPU",
               "make it with goban.zeros()")
    interface = _interface(array)
    found, its_type = tuple(interface["shape"]), np.dtype(interface["typestr"])
    if found != shape or its_type != dtype:
        refuse(problem, f"it has {found} values of {its_type}, the field {shape} of {dtype}")
    if interface["data"][1]:
        refuse(problem, "it is read only")
    steps = list(interface.get("strides") or np.empty(shape, dtype).strides)
    if any(step % dtype.itemsize for step in steps) or min(steps) < 0:
        refuse(problem, f"its strides are {tuple(steps)} bytes", "make it with goban.zeros()")
    steps = [step // dtype.itemsize for step in steps]
    component = steps.pop(0) if components > 1 else 0
    gpu = array.__dlpack_device__()[1] if hasattr(array, "__cuda_array_interface__") else -1
    extents = [*shape[-len(steps):], 1, 1]
    while len(steps) < 3:  # along axes of one cell, past all that there is
        steps.append(_up((extents[len(steps) - 1] + 64) * steps[-1], _LINE))
    return [_address(array), *steps, component, *_bounds(array), gpu]
