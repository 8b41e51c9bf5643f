"""Compiles modules of functors, keeps them, finds them again.

A module lies in the cache under a hash of everything that it depends on: its text, the compiler and
its version, the options, the headers of goban, and, where the options ask for the processor at
hand, that processor. Several at once, as threads or as processes of one run, compile it once.
"""

import concurrent.futures
import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile

from goban import _library, _where
from goban.errors import Error, RESOURCES

_SUFFIX = ".so"


def cache_folder():
    """Where modules lie: goban/python in XDG_CACHE_HOME or ~/.cache."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(folder, "goban", "python")


@functools.cache
def _workers():
    """Each takes up to 0.7 GB."""
    cores = len(os.sched_getaffinity(0))
    return concurrent.futures.ThreadPoolExecutor(max_workers=max(1, min(cores, 8)))


def _compiler():
    """The compiler that goban was built with, or the g++ that is found."""
    for name in (_where.COMPILER, "g++", "c++"):
        found = shutil.which(name)
        if found:
            return found
    raise Error("a functor cannot be compiled", f"there is no {_where.COMPILER} and no g++ here",
                "run the script once where there is one: what it compiles is kept, in "
                + cache_folder(), code=RESOURCES)


@functools.cache
def _surroundings():
    """What all modules depend on. The compiler is not asked: where modules are kept there need be
    none.
    """
    parts = [_where.COMPILER_VERSION, *_where.OPTIONS, _where.LIBRARIES,
             _library.text_of("interface")]
    if "-march=native" in _where.OPTIONS:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            parts += sorted({line for line in file if line.startswith(("model name", "flags"))})
    with open(os.path.join(os.path.dirname(__file__), "functor.hpp"), encoding="utf-8") as file:
        parts.append(file.read())
    return "\0".join(parts)


def name_of(text):
    return hashlib.sha256((_surroundings() + "\0" + text).encode()).hexdigest()[:32]


def module_of(text):
    """A future of the path of the module. Begins to compile it if it is not there."""
    path = os.path.join(cache_folder(), name_of(text) + _SUFFIX)
    if os.path.exists(path):
        done = concurrent.futures.Future()
        done.set_result(path)
        return done
    return _workers().submit(_compile, text, path)


def _compile(text, path):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path[:-len(_SUFFIX)] + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(path):
                _compile_alone(text, path)
    except OSError as error:
        raise Error("a compiled functor cannot be kept", str(error),
                    "set XDG_CACHE_HOME to a folder that can be written", code=4) from None
    return path


def _compile_alone(text, path):
    """The text stays beside the module, for who wants to see it."""
    source = path[:-len(_SUFFIX)] + ".cpp"
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        made = os.path.join(folder, "module.so")
        command = [_compiler(), *_where.OPTIONS, "-fPIC", "-shared",
                   *(f"-I{include}" for include in _where.INCLUDES), source, "-o", made,
                   f"-L{_where.LIBRARIES}", f"-Wl,-rpath,{_where.LIBRARIES}", "-lgoban"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Error("a functor cannot be compiled", _first_error(done.stderr),
                        f"its text is {source}")
        os.replace(made, path)


def _first_error(output):
    """goban's own line, if the compiler says one."""
    errors = [line.split("error:", 1)[1].strip() for line in output.splitlines()
              if "error:" in line]
    own = [line for line in errors if "goban:" in line]
    line = (own or errors or [output.strip()[-200:] or "the compiler said nothing"])[0]
    return line.removeprefix("static assertion failed: ").removeprefix("goban: ")
