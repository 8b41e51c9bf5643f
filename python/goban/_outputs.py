"""Files of what functions of a script return."""

import ctypes
import io
import json
from collections.abc import Mapping

import numpy as np

from goban import _library
from goban._library import call
from goban.errors import refuse


def file_name_of(function):
    """What files are called where no name is given."""
    name = getattr(function, "__name__", "<no name>")
    if name.startswith("<"):
        refuse("the output of a function without a name", "files are called after it",
               'write name="spectrum"')
    return name


def written(function):
    """What C++ calls with a moment and a file: the file becomes what the function returns."""
    def write(step, time, wall, file):
        made, file = function(step, time, wall), ctypes.c_void_p(file)
        if isinstance(made, Mapping):
            _write_table(file, made)
        elif made is not None:
            array = np.asarray(made)
            if array.ndim == 0 or array.dtype.hasobject:
                _refuse_what(function, made)
            stream = io.BytesIO()
            np.save(stream, array, allow_pickle=False)
            call("file_array", file, stream.getvalue(), stream.tell())

    def _write_table(file, columns):
        heads = [[str(one), ""] if not isinstance(one, tuple) else list(one) for one in columns]
        try:
            values = np.array([np.asarray(one, float) for one in columns.values()])
        except (TypeError, ValueError):
            values = np.zeros(0)
        if values.ndim != 2 or not all(map(_is_head, heads)):
            _refuse_what(function, columns)
        call("file_table", file, json.dumps(heads), values.ctypes.data, values.shape[1])
    return _library.file_action(write)


def _is_head(head):
    return len(head) == 2 and all(isinstance(one, str) for one in head)


def _refuse_what(function, made):
    refuse(f"what {getattr(function, '__name__', 'a function')} returns is no output",
           f"a {type(made).__name__} is neither an array nor a dict of equally long columns",
           "numbers over time are columns of series(), ended runs have results()")
