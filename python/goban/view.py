"""Views: memory of fields where it lies, for other libraries."""

from __future__ import annotations

import ctypes
import operator
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from goban import _library
from goban._arrays import ArrayLike
from goban._library import Handle, call
from goban.errors import refuse

if TYPE_CHECKING:
    from goban.field import Field

_CPU, _CUDA = 1, 2  # kinds of devices, as DLPack counts


class View(ArrayLike):
    """The values of one patch of a field in the memory where they are computed, without their
    ghosts: an array for NumPy where that is the host's, for CuPy, PyTorch and others (DLPack,
    __cuda_array_interface__) where it is a GPU's. Axes are those of Field.numpy(), `lower` and
    `upper` the indices of the cells, `strides` in bytes, `address` that of the first value. On a
    GPU `stream` is the number of the CUDA stream that goban's work is in.

    It ends when a program is next run on the grid, and refuses to be used then; so it does behind
    its `with` block: with u.view() as a: print(np.sum(a)).

    >>> view = u.fill(2).view()
    >>> view.device, view.dtype, np.sum(view)
    ('cpu', dtype('float64'), 512.0)
    """

    def __init__(self, field: Field, handle: Handle, number: int, writable: bool) -> None:
        self.field, self.writable = field, writable
        self._handle, self._number, self._has_ended = handle, number, False
        numbers = (ctypes.c_int64 * 13)()
        call("views_patch", handle, number, numbers)
        self.lower, self.upper = tuple(numbers[0:3]), tuple(numbers[3:6])
        self.address, steps, gpu = numbers[6], numbers[7:11], numbers[11]
        self._gpu = gpu if gpu >= 0 else None
        axes = list(range(field.grid.dimensions))
        extents = [self.upper[a] - self.lower[a] for a in axes]
        steps = [steps[a] for a in axes] if field.components == 1 else \
            [steps[3], *(steps[a] for a in axes)]
        self.shape = tuple(extents if field.components == 1 else [field.components, *extents])
        self.dtype = field.dtype
        self.strides = tuple(step * self.dtype.itemsize for step in steps)
        self.stream: Optional[int] = numbers[12] if gpu >= 0 else None

    @property
    def device(self) -> str:
        """"cpu" or "cuda:0"."""
        return "cpu" if self._gpu is None else f"cuda:{self._gpu}"

    def _require_valid(self) -> None:
        valid = _library.number_of(ctypes.c_int64, "views_are_valid", self._handle)
        if self._has_ended or not valid:
            why = "its with block is over" if self._has_ended else \
                "a program has run on its grid since then, which may have moved the values"
            refuse(f"a view of field '{self.field.name}' is refused", why, "take u.view() again")

    def _values(self) -> np.ndarray[Any, Any]:
        """The memory as an array of NumPy; it keeps the memory, and cannot be refused later."""
        self._require_valid()
        if self._gpu is not None:
            refuse(f"a view of field '{self.field.name}' is no array of NumPy",
                   f"it lies on {self.device}", "take u.numpy(), or cupy.asarray(view)")
        if self.size == 0:
            return np.empty(self.shape, self.dtype)
        last = sum((n - 1) * step for n, step in zip(self.shape, self.strides))
        memory: Any = (ctypes.c_ubyte * (last + self.dtype.itemsize)).from_address(self.address)
        memory.keeps = self._handle
        array: np.ndarray[Any, Any] = np.ndarray(self.shape, self.dtype, memory, 0, self.strides)
        array.flags.writeable = self.writable
        return array

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray[Any, Any]:
        return as_array(self._values(), dtype, copy)

    def __getitem__(self, index: Any) -> Any:
        return self._values()[index]

    def __setitem__(self, index: Any, values: Any) -> None:
        target = self._values()
        if not self.writable:
            refuse(f"a view of field '{self.field.name}' cannot be set", "it is to be read only",
                   "take u.view(writable=True)")
        target[index] = values

    def __enter__(self) -> View:
        self._require_valid()
        return self

    def __exit__(self, *_: Any) -> None:
        self._has_ended = True

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CPU, 0) if self._gpu is None else (_CUDA, self._gpu)

    def __dlpack__(self, *, stream: Optional[int] = None,
                   max_version: Optional[tuple[int, int]] = None,
                   dl_device: Optional[tuple[int, int]] = None,
                   copy: Optional[bool] = None) -> Any:
        """For torch.from_dlpack and others. On a GPU what `stream` gets from now on waits for
        goban's work, and what goban does next for all that the GPU has been given.
        """
        self._require_valid()
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("a view is memory where it lies: no copy, on no other device")
        is_versioned = max_version is not None and max_version[0] >= 1
        if not self.writable and not is_versioned:
            raise BufferError("a view that is to be read only cannot be given to a library whose "
                              "DLPack knows no such arrays: take u.view(writable=True)")
        self._lend(1 if stream is None else operator.index(stream))
        steps = [step // self.dtype.itemsize for step in self.strides]
        return _library.capsule("views_dlpack", self._handle, self._number, self.ndim,
                                _library.integers(self.shape), _library.integers(steps),
                                is_versioned, self.writable)

    def _lend(self, stream: int) -> None:
        """To work in a stream as CUDA counts them: 1 is the one that all others wait for, 2 that of
        a thread, -1: goban is not to see to it, 0: none that is known.
        """
        if self._gpu is not None:
            call("views_lend", self._handle, self._number, max(0, stream))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._gpu is None:
            raise AttributeError("a view in the host's memory has no __cuda_array_interface__")
        self._require_valid()
        self._lend(0)
        return {"shape": self.shape, "typestr": self.dtype.str, "strides": self.strides,
                "data": (self.address, not self.writable), "version": 3, "stream": self.stream}

    def __repr__(self) -> str:
        return (f"View({self.field.name!r}, {self.lower} to {self.upper}, {self.device}"
                f"{', writable' if self.writable else ''})")


def views_of(field: Field, handle: Handle, writable: bool) -> list[View]:
    count = _library.number_of(ctypes.c_int64, "views_count", handle)
    return [View(field, handle, n, writable) for n in range(count)]


def as_array(array: np.ndarray[Any, Any], dtype: Any, copy: Optional[bool]) -> np.ndarray[Any, Any]:
    """As __array__ returns it; `copy`: True: one, False: none or ValueError, None: if needed."""
    is_other = dtype is not None and np.dtype(dtype) != array.dtype
    if is_other and copy is False:
        raise ValueError(f"{array.dtype} is not {np.dtype(dtype)} without a copy")
    return array.astype(dtype) if is_other else array.copy(order="K") if copy else array
