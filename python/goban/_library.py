"""The C++ side: libgoban-python.so, what its functions take, how they are called, and how its
objects end.
"""

import ctypes
import importlib.util
import json
import math
import operator
import os
import shutil
import sys
import weakref

from goban.errors import Error, refuse

# What the functions take, one a line: of the library's objects their kind, "?" where there may be
# none, "*" a list of them; "-> kind" makes one. text: str; whole: 64 bits; number: double; wholes,
# numbers: what integers() and doubles() make; data: memory of numbers, or a reference to one;
# objects: Handles and functions that options refer to; the rest are functions of the script.
_FUNCTIONS = """
runtime_of_arguments data data -> runtime
runtime text -> runtime
rehearse_gpus whole whole
runtime_description runtime
runtime_ranks runtime data data
version
grid runtime wholes numbers numbers condition* data? -> grid
grid_coarsened grid wholes -> grid
condition whole number parameter? time_function? -> condition
condition_of_rule text -> condition
field grid text condition*? -> field
field_like field text -> field
field_boundary field whole whole whole condition
field_inactive field condition
field_domain field data
field_own field data? whole data
field_fill field number
field_fill_boxes field box_action
field_copy_out field wholes data
field_copy_out_own field wholes data
field_copy_in field wholes data
field_reduce field whole whole data
field_checksum field data
field_picture field whole data data
field_views field whole -> views
field_place field wholes
views_count views data
views_patch views whole data
views_are_valid views data
views_lend views whole whole
views_dlpack views whole whole wholes wholes whole whole data
capsules data data
parameter text number -> parameter
parameter_value parameter data
parameter_set parameter number
program text -> program
finite_difference text whole whole data
program_stage program text text field*? parameter*? whole
program_over program wholes
program_where program field
program_rotate program field* whole
program_call program action field* whole field* whole
program_call_on_device program views_action field* whole field* whole
program_follow program parameter time_function
program_couple program bodies field field field?
program_repeat program whole program
program_until program parameter whole number whole whole program program
bodies grid text -> bodies
bodies_place bodies whole numbers
bodies_pack bodies number whole
bodies_count bodies data
bodies_all bodies data
bodies_hematocrit bodies wholes? data
samples grid -> samples
samples_add samples field wholes data
samples_size samples data
samples_take samples data data data
program_sample program samples
multigrid field field field*? text -> multigrid
multigrid_residual multigrid -> parameter
multigrid_describe multigrid
program_multigrid program multigrid text number whole number
fourier field field text -> fourier
fourier_describe fourier
program_fourier program fourier
field_correct field field
adjoint program program field* whole parameter* whole -> adjoint
adjoint_of_samples program samples samples_function field* whole parameter* whole -> adjoint
adjoint_evaluate adjoint whole whole number text number parameter? data
adjoint_look_ahead adjoint whole number parameter? action
adjoint_field adjoint field -> field
adjoint_number adjoint parameter data
adjoint_steps_computed adjoint data
engine program number parameter? -> engine
engine_run engine whole data data
simulation grid program text parameter? parameter? -> simulation
simulation_output simulation text text objects
file_array data data whole
file_table data text data whole
simulation_checkpoint simulation text
simulation_keep simulation parameter
simulation_progress simulation
simulation_live simulation text
simulation_stop_when simulation parameter whole number whole program?
simulation_adjust simulation whole clock_action
simulation_on simulation text clock_action
simulation_derive simulation program
simulation_results simulation text_function text
simulation_run simulation
simulation_rehearse simulation whole
simulation_dry_run simulation
simulation_describe simulation
"""

_FOLDER = os.path.dirname(os.path.realpath(__file__))
_library = None
_failures = []  # exceptions of functions that the library called, until the call is over


# What pip has installed lies within the package, else the package lies within what is installed.
INSTALLED = os.path.join(_FOLDER, "installed")
_MODULES = os.path.join(INSTALLED, "lib/goban")
if not os.path.isdir(_MODULES):
    _MODULES = os.path.normpath(os.path.join(_FOLDER, "../.."))


def options_text(options):
    """Options as the library takes them. They hold no infinity and no NaN, for which JSON has no
    words.
    """
    def require_finite(name, value):
        if isinstance(value, float) and not math.isfinite(value):
            refuse(f"{name} = {value} is refused", "a finite number is expected",
                   "leave it out where there is none")
        elif isinstance(value, dict):
            for key, one in value.items():
                require_finite(key, one)
        elif isinstance(value, (list, tuple)):
            for one in value:
                require_finite(name, one)

    require_finite("options", options)
    return json.dumps(options)


def name_compiler():
    """Has kernels of CPUs compiled by the package ziglang where there is no other compiler."""
    if "GOBAN_CXX" in os.environ or any(map(shutil.which, ("c++", "g++", "clang++", "zig"))):
        return
    found = importlib.util.find_spec("ziglang")
    if found is not None:
        zig = os.path.join(os.path.dirname(found.origin), "zig")
        os.environ["GOBAN_CXX"] = zig + " c++"


def library():
    global _library
    if _library is None:
        name_compiler()
        try:
            loaded = ctypes.CDLL(os.path.join(_MODULES, "libgoban-python.so"))
        except OSError as error:
            raise Error("goban's library cannot be loaded", str(error),
                        "build it: ./goban python SCRIPT, or cmake with GOBAN_PYTHON=ON",
                        code=3) from None
        for line in _FUNCTIONS.split("\n"):
            words = line.replace("-> ", "->").split()
            if words:
                getattr(loaded, "goban_python_" + words[0]).argtypes = list(map(_type, words[1:]))
        loaded.goban_python_text.restype = ctypes.c_char_p
        loaded.goban_python_command.argtypes = [ctypes.c_void_p, ctypes.c_int64]
        loaded.goban_python_report.argtypes = [ctypes.c_int64, ctypes.c_char_p]
        loaded.goban_python_report.restype = ctypes.c_int64
        _library = loaded
    return _library


def is_loaded():
    return _library is not None


def call(name, *arguments):
    """Calls goban_python_<name>. Raises what functions of the script raised meanwhile, or Error."""
    function = getattr(library(), "goban_python_" + name)
    before = len(_failures)  # of calls that this one is made within
    code = function(*arguments)
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
    """Returns the number that a call writes into its last argument."""
    number = kind()
    call(name, *arguments, ctypes.byref(number))
    return number.value


def report(code, line):
    """Prints the line; of several processes one speaks. Returns the exit code."""
    return library().goban_python_report(code, line.encode())


def end_other_ranks(line):
    from goban import grid

    if grid.has_other_ranks():
        sys.stderr.flush()
        report(1, line)


class Handle:
    """An object of the library. It ends when nobody refers to it, and at the end of the script, in
    reverse order of being made. `others`: Python objects that it needs for as long.
    """

    def __init__(self, kind, name, *arguments, others=()):
        self.kind, self.pointer = kind, ctypes.c_void_p()
        call(name, *arguments, ctypes.byref(self.pointer))
        self.others = list(others)
        weakref.finalize(self, _delete, kind, self.pointer.value)


def _delete(kind, address):
    getattr(library(), f"goban_python_{kind}_delete")(ctypes.c_void_p(address))


class Made(Handle):
    """An object that the library has made and left to the package."""

    def __init__(self, kind, address):
        self.kind, self.pointer, self.others = kind, ctypes.c_void_p(address), []
        weakref.finalize(self, _delete, kind, address)


def capsule(name, *arguments):
    """A PyCapsule of memory that this call makes and that ends if nobody takes it out."""
    python, made = ctypes.pythonapi, (ctypes.c_void_p * 3)()
    call("capsules", *(ctypes.cast(one, ctypes.c_void_p) for one in (
        python.PyCapsule_IsValid, python.PyCapsule_GetPointer)))
    call(name, *arguments, made)
    make = ctypes.PYFUNCTYPE(ctypes.py_object, *[ctypes.c_void_p] * 3)(("PyCapsule_New", python))
    return make(*made)


class _Taken:
    """An argument of a function of the library; `convert` makes it of what is passed."""

    def __init__(self, convert):
        self.from_param = convert


def _address(kind, value):
    if getattr(value, "kind", None) != kind or not isinstance(value, Handle):
        raise TypeError(f"{value!r} is no {kind} of goban")
    return value.pointer.value


def _addresses(values):
    return (ctypes.c_void_p * max(1, len(values)))(*values)


def _type(word):
    """What a word of _FUNCTIONS stands for."""
    if word.startswith("->"):
        return ctypes.c_void_p
    if word.endswith("?"):
        given = _type(word[:-1])
        return _Taken(lambda value: None if value is None else given.from_param(value))
    if word.endswith("*"):
        kind = word[:-1]
        return _Taken(lambda values: _addresses(
            [None if one is None else _address(kind, one) for one in values]))
    return _TYPES.get(word) or _Taken(lambda value: ctypes.c_void_p(_address(word, value)))


def _whole(value):
    number = operator.index(value)
    if not -2**63 <= number < 2**63:
        raise TypeError(f"{value} has more than 64 bits")
    return ctypes.c_int64(number)


def integers(values):
    return (ctypes.c_int64 * len(values))(*(_whole(one).value for one in values))


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


# All but texts answer 0, or 1 where they have failed; numbers go through the last argument.
_MADE = ctypes.POINTER(ctypes.c_double)
_NUMBER = ctypes.CFUNCTYPE(ctypes.c_int64, _MADE)
_NUMBER_OF_TIME = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, _MADE)
_ACTION = ctypes.CFUNCTYPE(ctypes.c_int64)
_ACTION_OF_CLOCK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_double,
                                    ctypes.c_double)
_ACTION_OF_FILE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_double, ctypes.c_double,
                                   ctypes.c_void_p)
_ACTION_OF_BOX = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.POINTER(ctypes.c_int64),
                                  ctypes.c_void_p)
_FUNCTION_OF_SAMPLES = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, _MADE,
                                        _MADE)
_TEXT = ctypes.CFUNCTYPE(ctypes.c_void_p)
_ACTION_OF_VIEWS = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.POINTER(ctypes.c_void_p))

_TYPES = {
    "text": _Taken(lambda value: ctypes.c_char_p(value.encode())),
    "whole": _Taken(_whole), "number": ctypes.c_double, "wholes": ctypes.POINTER(ctypes.c_int64),
    "numbers": _MADE, "data": ctypes.c_void_p,
    "objects": _Taken(lambda values: _addresses(
        [one.pointer.value if isinstance(one, Handle) else address_of(one) for one in values])),
    "time_function": _NUMBER_OF_TIME, "action": _ACTION, "clock_action": _ACTION_OF_CLOCK,
    "box_action": _ACTION_OF_BOX, "views_action": _ACTION_OF_VIEWS, "text_function": _TEXT,
    "samples_function": _FUNCTION_OF_SAMPLES,
}


def number_function(function):
    """Something that C++ calls for a number. It must be kept for as long as C++ may call it."""
    def made(number):
        number[0] = float(function())
    return _NUMBER(_guard(made, 1, lambda _: 0))


def time_function(function):
    def made(time, number):
        number[0] = float(function(time))
    return _NUMBER_OF_TIME(_guard(made, 1, lambda _: 0))


def action(function):
    return _ACTION(_guard(function, 1, lambda _: 0))


def clock_action(function):
    return _ACTION_OF_CLOCK(_guard(function, 1, lambda _: 0))


def file_action(function):
    return _ACTION_OF_FILE(_guard(function, 1, lambda _: 0))


def box_action(function):
    return _ACTION_OF_BOX(_guard(function, 1, lambda _: 0))


def views_action(function):
    return _ACTION_OF_VIEWS(_guard(function, 1, lambda _: 0))


def samples_function(function):
    def made(count, values, derivatives, number):
        number[0] = float(function(count, values, derivatives))
    return _FUNCTION_OF_SAMPLES(_guard(made, 1, lambda _: 0))


def text_function(function):
    kept = []

    def made():
        kept[:] = [ctypes.create_string_buffer(function().encode())]
        return ctypes.addressof(kept[0])
    return _TEXT(_guard(made, None, lambda address: address))


def address_of(function):
    return ctypes.cast(function, ctypes.c_void_p).value
