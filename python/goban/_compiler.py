"""Compiles modules of functors, keeps them, finds them again.

A module lies in the cache under a hash of everything that it depends on: its text, the compiler and
its version, the options, the headers of goban, and, where the options ask for the processor at
hand, that processor. Several at once, as threads or as processes of one run, compile it once. It
ends with a hash of itself: one that is damaged is made anew. Where nothing can be kept, a process
compiles for itself.
"""

import atexit
import concurrent.futures
import contextlib
import ctypes
import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

from goban import _library, _where
from goban.errors import Error, RESOURCES

_SUFFIX = ".so"
_modules = {}  # of this process, by their text


def cache_folder():
    """Where modules are kept: python in goban's folder of XDG_CACHE_HOME or ~/.cache; empty: there
    is none of one's own.
    """
    return _library.text_of("cache_folder", "python")


@functools.cache
def _workers():
    """Each takes up to 0.7 GB."""
    cores = len(os.sched_getaffinity(0))
    return concurrent.futures.ThreadPoolExecutor(max_workers=max(1, min(cores, 8)))


def _forget_threads():
    _workers.cache_clear()
    _own_folder.cache_clear()


os.register_at_fork(after_in_child=_forget_threads)  # a child has none of them, nor the folder


def _compiler():
    """The compiler that goban was built with, or the g++ that is found."""
    for name in (_where.COMPILER, "g++", "c++"):
        found = shutil.which(name)
        if found:
            return found
    folder = cache_folder()
    raise Error("a functor cannot be compiled", f"there is no {_where.COMPILER} and no g++ here",
                "run the script once where there is one"
                + (f": what it compiles is kept, in {folder}" if folder else ""), code=RESOURCES)


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


class _Module:
    """It is there, or is being compiled."""

    def __init__(self, text):
        self._text = text
        self._name = hashlib.sha256((_surroundings() + "\0" + text).encode()).hexdigest()[:32]
        self._begin()

    def _begin(self):
        self._process, folder = os.getpid(), cache_folder()
        path = os.path.join(folder, self._name + _SUFFIX)
        if folder and _is_whole(path):
            self._future = concurrent.futures.Future()
            self._future.set_result(path)
        else:
            self._future = _workers().submit(_compile, self._text, folder, self._name)

    def has_failed(self):
        return self._future.done() and self._future.exception() is not None

    def result(self):
        """Its path, when it is there. Error: it cannot be compiled."""
        if self._process != os.getpid():  # a child waits for no thread of its parent
            self._begin()
        try:
            return self._future.result(timeout=1)
        except concurrent.futures.TimeoutError:
            _say_once()
        return self._future.result()


def module_of(text):
    """Begins to compile it if it is not there; result() of what it returns is its path."""
    known = _modules.get(text)
    if known is None or known.has_failed():
        known = _modules[text] = _Module(text)
    return known


@functools.cache
def _say_once():
    from goban import grid

    if not grid.is_other_rank():
        print("goban: compiling functors, some seconds each" +
              ("; they are kept" if cache_folder() else ""), file=sys.stderr, flush=True)


def _compile(text, folder, name):
    path = os.path.join(folder, name + _SUFFIX)
    if folder:
        with contextlib.suppress(OSError):  # it cannot be kept
            # Not inherited by processes that fork meanwhile.
            with _opened(os.path.join(folder, name + ".lock")) as lock:
                fcntl.lockf(lock, fcntl.LOCK_EX)
                if not _is_whole(path):
                    _compile_into(folder, text, name)
                return path
    folder = _own_folder()
    _compile_into(folder, text, name)
    return os.path.join(folder, name + _SUFFIX)


def _opened(path):
    """To be written; no link leads elsewhere."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o666), "r+b")


@functools.cache
def _own_folder():
    """Of this process, as long as it lives."""
    folder, process = tempfile.mkdtemp(prefix="goban-"), os.getpid()
    atexit.register(lambda: process == os.getpid() and shutil.rmtree(folder, ignore_errors=True))
    return folder


def _compile_into(folder, text, name):
    """The text stays beside the module, for who wants to see it."""
    source, made = (os.path.join(folder, name + end) for end in (".cpp", ".part"))
    with _opened(source) as file:
        file.truncate()
        file.write(text.encode())
    command = [_compiler(), *_where.OPTIONS, "-fPIC", "-shared",
               *(f"-I{include}" for include in _where.INCLUDES), source, "-o", made,
               f"-L{_where.LIBRARIES}", f"-Wl,-rpath,{_where.LIBRARIES}", "-lgoban"]
    try:
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise Error("a functor cannot be compiled", str(error), code=RESOURCES) from None
        if "No space left on device" in done.stderr:
            raise OSError(done.stderr)
        if done.returncode != 0:
            raise Error("a functor cannot be compiled", _first_error(done.stderr),
                        f"its text is {source}")
        _complete(made, command[0])
        os.replace(made, os.path.join(folder, name + _SUFFIX))
    finally:
        with contextlib.suppress(OSError):
            os.remove(made)
    _sync(folder)


def _complete(made, compiler):
    """What the compiler has made, if that is a module, gets its hash and lies on the disk."""
    try:
        with open(made, "r+b") as file:
            file.write(hashlib.sha256(file.read()).digest())
            file.flush()
            os.fsync(file.fileno())
        ctypes.CDLL(made)
    except OSError as error:
        raise Error("a functor cannot be compiled",
                    f"what {compiler} has made is no module: {error}", "look at that compiler",
                    code=RESOURCES) from None


def _sync(folder):
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_whole(path):
    """Nobody has changed it since it was made."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return False
    size = hashlib.sha256().digest_size
    return len(content) > size and hashlib.sha256(content[:-size]).digest() == content[-size:]


def _first_error(output):
    """goban's own line, if the compiler says one."""
    errors = [line.split("error:", 1)[1].strip() for line in output.splitlines()
              if "error:" in line]
    own = [line for line in errors if "goban:" in line]
    line = (own or errors or [output.strip()[-200:] or "the compiler said nothing"])[0]
    return line.removeprefix("static assertion failed: ").removeprefix("goban: ")
