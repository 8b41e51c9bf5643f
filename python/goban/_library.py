"""The C++ side: libgoban-python.so, how it is called, and how its objects end."""

import ctypes
import sys
import weakref

from goban import _where
from goban.errors import Error

_library = None
_failures = []  # exceptions of functions that the library called, until the call is over


def library():
    global _library
    if _library is None:
        try:
            _library = ctypes.CDLL(_where.LIBRARY)
        except OSError as error:
            raise Error("goban's library cannot be loaded", str(error),
                        "build it: ./goban python SCRIPT, or cmake with GOBAN_PYTHON=ON",
                        code=3) from None
        _library.goban_python_text.restype = ctypes.c_char_p
        _library.goban_python_report.restype = ctypes.c_int64
    return _library


def is_loaded():
    return _library is not None


def converted(value):
    """Whole numbers are 64 bits wide there, others double."""
    if isinstance(value, bool):
        return ctypes.c_int64(int(value))
    if isinstance(value, int):
        return ctypes.c_int64(value)
    if isinstance(value, float):
        return ctypes.c_double(value)
    if isinstance(value, str):
        return ctypes.c_char_p(value.encode())
    if isinstance(value, Handle):
        return value.pointer
    if value is None:
        return ctypes.c_void_p(None)
    return value


def call(name, *arguments):
    """Calls goban_python_<name>. Raises what functions of the script raised meanwhile, or Error."""
    function = getattr(library(), "goban_python_" + name)
    before = len(_failures)  # of calls that this one is made within
    code = function(*map(converted, arguments))
    if len(_failures) > before:
        failure = _failures[before]
        del _failures[before:]
        raise failure
    if code != 0:
        raise Error(text(), code=code)


def text():
    """What the last call has to say."""
    return library().goban_python_text().decode(errors="replace")


def text_of(name, *arguments):
    call(name, *arguments)
    return text()


def number_of(kind, name, *arguments):
    """Of a call whose last argument takes one."""
    number = kind()
    call(name, *arguments, ctypes.byref(number))
    return number.value


def report(code, line):
    """Prints the line; of several processes one speaks. Returns the exit code."""
    return library().goban_python_report(ctypes.c_int64(code), line.encode())


def end_other_ranks(line):
    from goban import grid

    if grid.has_other_ranks():
        sys.stderr.flush()
        library().goban_python_report(ctypes.c_int64(1), line.encode())


class Handle:
    """An object of the library. It ends when nobody refers to it, and at the end of the script, in
    reverse order of being made. `others`: Python objects that it needs for as long.
    """

    def __init__(self, kind, name, *arguments, others=()):
        self.pointer = ctypes.c_void_p()
        call(name, *arguments, ctypes.byref(self.pointer))
        self.others = list(others)
        weakref.finalize(self, _delete, kind, self.pointer.value)


def _delete(kind, address):
    getattr(library(), f"goban_python_{kind}_delete")(ctypes.c_void_p(address))


def pointers(handles):
    """An array of the addresses of handles; None is null."""
    array = (ctypes.c_void_p * max(1, len(handles)))()
    for n, handle in enumerate(handles):
        array[n] = handle.pointer.value if isinstance(handle, Handle) else handle
    return array


def integers(values):
    return (ctypes.c_int64 * len(values))(*values)


def doubles(values):
    return (ctypes.c_double * max(1, len(values)))(*values)


def _guard(function, wrong, answer):
    def guarded(*arguments):
        try:
            return answer(function(*arguments))
        except BaseException as error:  # it must not be lost in a function that C++ called
            _failures.append(error)
            return wrong
    return guarded


_NUMBER = ctypes.CFUNCTYPE(ctypes.c_double)
_NUMBER_OF_TIME = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
_ACTION = ctypes.CFUNCTYPE(ctypes.c_int64)
_ACTION_OF_CLOCK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_double,
                                    ctypes.c_double)
_ACTION_OF_BOX = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.POINTER(ctypes.c_int64),
                                  ctypes.c_void_p)
_TEXT = ctypes.CFUNCTYPE(ctypes.c_void_p)


def number_function(function):
    """Something that C++ calls for a number. It must be kept for as long as C++ may call it."""
    return _NUMBER(_guard(function, float("nan"), float))


def time_function(function):
    return _NUMBER_OF_TIME(_guard(function, float("nan"), float))


def action(function):
    return _ACTION(_guard(function, 1, lambda _: 0))


def clock_action(function):
    return _ACTION_OF_CLOCK(_guard(function, 1, lambda _: 0))


def box_action(function):
    return _ACTION_OF_BOX(_guard(function, 1, lambda _: 0))


def text_function(function):
    kept = []

    def made():
        kept[:] = [ctypes.create_string_buffer(function().encode())]
        return ctypes.addressof(kept[0])
    return _TEXT(_guard(made, None, lambda address: address))


def address_of(function):
    return ctypes.cast(function, ctypes.c_void_p).value
