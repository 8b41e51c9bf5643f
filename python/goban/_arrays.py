"""What NumPy expects of whatever holds an array."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from goban._recording import Value
from goban.errors import refuse


# Functions that set the first array that they are given.
_SETTERS = (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)


class ArrayLike(np.lib.mixins.NDArrayOperatorsMixin):
    """Arithmetic, comparisons and functions of NumPy take the values as an array and make arrays.
    `_values()` is that array, `shape` and `dtype` are known without it, and `self[...] = array`
    sets it.
    """

    __slots__ = ()
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def _values(self) -> np.ndarray[Any, Any]:
        raise NotImplementedError

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(one, Value) for one in inputs):
            refuse("a whole field among the values of a functor", "",
                   "pass it to the functor, which reads it by u()")
        into = options.pop("out", (None,))
        if any(isinstance(one, ArrayLike) for one in into):
            made = getattr(function, method)(*map(_plain, inputs), **options)
            results = made if isinstance(made, tuple) else (made,)
            for one, result in zip(into, results):
                one[...] = result
            return into if len(into) > 1 else into[0]
        if any(one is not None for one in into):
            options["out"] = into
        return getattr(function, method)(*map(_plain, inputs), **_plain(options))

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        target = arguments[0] if function in _SETTERS and arguments else options.get("out")
        if isinstance(target, ArrayLike):
            refuse(f"numpy.{function.__name__} into a field or a view is refused", "",
                   "write u[...] = what it makes")
        return function(*_plain(arguments), **_plain(options))

    @property
    def ndim(self) -> int:
        """How many axes `shape` has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many values there are."""
        return int(np.prod(self.shape, dtype=np.int64))

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        refuse("values of cells as a condition of if, while, and, or, not",
               "they differ from cell to cell", "write np.any(u) or np.all(u)")

    def __float__(self) -> float:
        return float(self._values())

    def __int__(self) -> int:
        return int(self._values())

    __iter__ = None  # values are taken by indices, or all of them
    __contains__ = None
    __hash__ = object.__hash__


def _plain(given: Any) -> Any:
    """The same with arrays in place of fields and views, also in lists and dicts of them."""
    if isinstance(given, ArrayLike):
        return given._values()
    if isinstance(given, (tuple, list)) and not hasattr(given, "_fields"):
        return type(given)(map(_plain, given))
    if isinstance(given, dict):
        return {key: _plain(one) for key, one in given.items()}
    return given


def is_basic(index: tuple[Any, ...]) -> bool:
    """Whole numbers, slices and an ellipsis: no masks, lists or new axes."""
    return all(one is Ellipsis or isinstance(one, slice)
               or hasattr(type(one), "__index__") and not isinstance(one, (bool, np.bool_))
               and np.ndim(one) == 0 for one in index)


def span_of(one: Any, extent: int) -> tuple[int, int, Any]:
    """The ends of what an index or a slice takes along an axis, and the index within that."""
    if isinstance(one, slice):
        taken = range(*one.indices(extent))
        if len(taken) == 0:
            return 0, 0, slice(0, 0)
        low, high = min(taken[0], taken[-1]), max(taken[0], taken[-1]) + 1
        return low, high, slice(None, None, taken.step) if taken.step != 1 else slice(None)
    number = operator.index(one)
    number += extent if number < 0 else 0
    if not 0 <= number < extent:
        raise IndexError
    return number, number + 1, 0
