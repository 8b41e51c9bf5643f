"""What public calls take. `checked` looks at all arguments of a call before anything is done with
them: each becomes what its annotation says, or the call is refused with the line of the script.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import numbers
import operator
import typing
from typing import Any, Callable, TypeVar, Union

import numpy as np

from goban.errors import WrongArgument, place_of_frames, refuse


Function = TypeVar("Function", bound=Callable[..., Any])

if typing.TYPE_CHECKING:
    ElementType = Union[str, type, np.dtype[Any]]
else:
    class ElementType(str):
        """An annotation: the name of a type of numbers. NumPy's types and dtypes stand for theirs.
        """


class _Unpack:
    """In place of typing.Unpack, which Python has since 3.11: nothing is looked at."""

    def __class_getitem__(cls, _):
        return Any


class _Wrong(Exception):
    pass


def checked(function: Function) -> Function:
    """A public function or method. Whole numbers have 64 bits, and are no truths and no floats; of
    numbers, texts and truths NumPy's are as good as Python's; a Sequence is a list, a tuple, an
    array or the like. What has no annotation is taken as it is.
    """
    signature = inspect.signature(function)
    name = function.__qualname__.removesuffix(".__init__")
    takes = {}

    @functools.wraps(function)
    def call(*arguments, **keywords):
        if not takes:
            takes.update(_annotations(function))
        try:
            bound = signature.bind(*arguments, **keywords)
        except TypeError as error:
            _refuse(f"{name} cannot be called so", str(error))
        for parameter, given in bound.arguments.items():
            if parameter in takes:
                bound.arguments[parameter] = _each(given, signature.parameters[parameter].kind,
                                                   takes[parameter], parameter, name)
        return function(*bound.args, **bound.kwargs)
    return typing.cast(Function, call)


def _annotations(function):
    """Names that a module cannot import without going in circles are those of the package."""
    import goban

    known = typing.get_type_hints(function, localns={**vars(goban), "Unpack": _Unpack,
                                                         **function.__globals__})
    return {name: kind for name, kind in known.items()
            if name != "return" and kind is not typing.Any}


def _each(given, how, kind, parameter, name):
    if how is inspect.Parameter.VAR_POSITIONAL:
        return tuple(_converted(one, kind, parameter, name) for one in given)
    if how is inspect.Parameter.VAR_KEYWORD:
        return {key: _converted(one, kind, key, name) for key, one in given.items()}
    return _converted(given, kind, parameter, name)


def _converted(value, kind, parameter, name):
    try:
        return _as(kind, value)
    except _Wrong:
        _refuse(f"{parameter} = {_shown(value)} is refused", f"{name} takes {_named(kind)} there")


def _refuse(problem, why):
    place = place_of_frames()
    raise WrongArgument(f"{place}: {problem}" if place else problem, why)


def _as(kind, value):
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any:
        return value
    if origin is typing.Union:
        return _as_one_of(parts, value)
    if origin is collections.abc.Callable:
        return value if callable(value) else _wrong()
    if origin is tuple:
        one = _listed(value)
        return tuple(map(_as, parts, one)) if len(one) == len(parts) else _wrong()
    if origin is collections.abc.Sequence:
        return [_as(parts[0], one) for one in _listed(value)]
    if origin is collections.abc.Mapping:
        if not isinstance(value, collections.abc.Mapping):
            _wrong()
        return {_as(parts[0], key): _as(parts[1], one) for key, one in value.items()}
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    kind = origin or kind
    return _SCALARS[kind](value) if kind in _SCALARS else value if isinstance(value, kind) \
        else _wrong()


def _as_one_of(kinds, value):
    for kind in kinds:
        try:
            return _as(kind, value)
        except _Wrong:
            pass
    _wrong()


def _wrong():
    raise _Wrong


def _listed(value):
    """What has an end."""
    if not isinstance(value, collections.abc.Collection) or isinstance(
            value, (str, bytes, collections.abc.Mapping)):
        _wrong()
    return list(value)


def _whole(value):
    if isinstance(value, (bool, np.bool_)):
        _wrong()
    try:
        number = operator.index(value)
    except TypeError:
        _wrong()
    if not -2**63 <= number < 2**63:
        refuse(f"the number {_shown(value)} is refused", "it has more than 64 bits")
    return number


def _number(value):
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        _wrong()
    try:
        return float(value)
    except OverflowError:
        refuse(f"the number {_shown(value)} is refused", "it is beyond the largest double")


def _truth(value):
    return bool(value) if isinstance(value, (bool, np.bool_)) else _wrong()


def _text(value):
    return str(value) if isinstance(value, str) else _wrong()


def type_name(value):
    """The name of a type of NumPy or of Python; other values are returned as they are."""
    return np.dtype(value).name if isinstance(value, (type, np.dtype)) else value


def _element_type(value):
    try:
        return _text(type_name(value))
    except TypeError:
        _wrong()


_SCALARS = {int: _whole, float: _number, bool: _truth, str: _text, ElementType: _element_type}
_NAMES = {int: "a whole number", float: "a number", bool: "True or False", str: "a text",
          ElementType: "a type", type(None): "None"}


def _named(kind):
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Union:
        return " or ".join(dict.fromkeys(map(_named, parts)))
    if origin is collections.abc.Callable:
        return "a function"
    if origin is tuple:
        return f"({', '.join(map(_named, parts))})"
    if origin is collections.abc.Sequence:
        return f"a list of which each is {_named(parts[0])}"
    if origin is collections.abc.Mapping:
        return "a dict"
    name = kind.__name__
    return _NAMES.get(kind) or f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _shown(value):
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def stored(values, kind, what):
    """An array of the values as numbers of that type, which has to hold them: whole numbers lose no
    fraction and all of them are in its range. `what`: "field 'u'", for errors.
    """
    array, dtype = np.asarray(values), np.dtype(kind)
    if array.dtype == dtype:
        return array
    if array.dtype.kind not in "biuf":
        refuse(f"{what} cannot be set", f"{_shown(values)} is no number", "pass numbers, or arrays "
               "of them")
    with np.errstate(all="ignore"):
        cast = array.astype(dtype)
    is_held = cast == array if dtype.kind in "iu" else np.isfinite(cast) | ~np.isfinite(array)
    if not is_held.all():
        first = array[~is_held].flat[0] if array.ndim else array[()]
        refuse(f"{what} cannot be set", f"{kind} does not hold {first}",
               "round it, or take another type" if dtype.kind in "iu" else "take another type")
    return cast
