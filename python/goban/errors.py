"""Errors: one line, problem (why); suggestion, and the exit code that a script ends with."""

import os
import sys
import traceback
from typing import Any, NoReturn

import numpy

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(numpy.__file__)) + os.sep

USAGE, RESOURCES, FILES, DIVERGED, PEER_LOST, NO_CHECKPOINT, CORRUPTED = 2, 3, 4, 5, 6, 7, 8
RESUBMIT = 75


class Error(Exception):
    """What goban refuses or cannot do. `code` is the exit code that a script ends with where
    nobody catches it: 2 usage, 3 resources, 4 files, 5 diverged, 6 another process was lost,
    7 no checkpoint, 8 corrupted, 75 stopped early with a checkpoint.

    >>> try:
    ...     u.fill("hot")
    ... except goban.Error as error:
    ...     print(error.code, "is no number" in str(error))
    2 True
    """

    def __init__(self, problem: str, why: str = "", suggestion: str = "",
                 code: int = USAGE) -> None:
        line = problem + (f" ({why})" if why else "") + (f"; {suggestion}" if suggestion else "")
        super().__init__(line)
        self.code = code


class WrongArgument(Error, TypeError):
    """An argument of another type than a call takes."""


def is_of_package(filename: str) -> bool:
    """Whether a file belongs to this package, or to NumPy, which calls it."""
    return (os.path.abspath(filename).startswith((_PACKAGE, _NUMPY))
            or filename.startswith("<__array_function__"))


def place_of_frames() -> str:
    """Where the script stands that called goban: "step.py:12"; empty if it is not known."""
    frame = sys._getframe(1)
    while frame is not None and is_of_package(frame.f_code.co_filename):
        frame = frame.f_back
    return _place(frame.f_code.co_filename, frame.f_lineno) if frame is not None else ""


def place_of_exception(error: BaseException) -> str:
    """The innermost line outside of this package that led to it."""
    lines = [entry for entry in traceback.extract_tb(error.__traceback__)
             if not is_of_package(entry.filename)]
    return _place(lines[-1].filename, lines[-1].lineno) if lines else ""


def _place(filename, line):
    shown = os.path.relpath(filename) if os.path.isabs(filename) else filename
    return f"{filename if shown.startswith('..') else shown}:{line}"


def refuse(problem: str, why: str = "", suggestion: str = "") -> NoReturn:
    """Raises an Error of the line of the script that is being run."""
    place = place_of_frames()
    raise Error(f"{place}: {problem}" if place else problem, why, suggestion)


def one_of(what: str, value: Any, choices: Any) -> Any:
    if value not in choices:
        raise Error(f"{what} {value!r} is refused", "", "one of " + ", ".join(map(repr, choices)))
    return value


def _report(kind, error, trace):
    """An Error that a script does not catch is one line and its exit code; those of a session that
    somebody types keep their trace.
    """
    if isinstance(error, Error) and not hasattr(sys, "ps1") and not sys.flags.interactive:
        from goban import _library

        sys.stdout.flush()
        text = str(error)
        place = place_of_exception(error)
        if place and not text.startswith(place.rsplit(":", 1)[0] + ":"):
            text = f"{place}: {text}"
        if not _library.is_loaded():  # it may be what is missing
            print(f"goban: {text}", file=sys.stderr)
            raise SystemExit(error.code)
        raise SystemExit(_library.report(error.code, text))
    _usual_report(kind, error, trace)
    _end_other_ranks(error)


def _end_other_ranks(error):
    """Other processes of the same run would wait for this one for ever."""
    from goban import _library

    if _library.is_loaded() and not isinstance(error, KeyboardInterrupt):
        _library.end_other_ranks(f"{type(error).__name__}: {error}")


_usual_report = sys.excepthook
sys.excepthook = _report
