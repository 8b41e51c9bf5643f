"""Case files of applications, run from a script."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, Optional, Union

from goban import _library
from goban._arguments import checked
from goban.errors import Error, RESUBMIT


def _value(value):
    """As the command line takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return json.dumps(list(value))
    return str(value)


@checked
def run(case: Union[str, os.PathLike[str]], changes: Optional[Mapping[str, Any]] = None,
        out: Union[str, os.PathLike[str], None] = None, **options: Any) -> Any:
    """Runs a case as `goban run` does: run("cases/heat/hotspot.toml", {"grid.cells": [64, 64, 16]},
    restart=True, threads=2). `changes` are keys of the case with other values; options are those of
    `goban run --help`, with underscores. Returns what the run wrote to summary.json. An Error has
    its text and exit code, 75 where it was stopped early with a checkpoint.

    >>> summary = goban.run("cases/heat/hotspot.toml", {"time.end": "1 ms"})  # doctest: +SKIP
    """
    folder = out or os.path.join("out", os.path.splitext(os.path.basename(case))[0])
    words = ["run", str(case)]
    words += [f"{key}={_value(value)}" for key, value in (changes or {}).items()]
    words += ["--out", str(folder)]
    for name, value in options.items():
        name = "--" + name.replace("_", "-")
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            words.append(f"{name}={_value(value)}")
    command(*words)
    if options.get("dry_run") or options.get("print_config"):
        return None
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


@checked
def command(*words: str) -> None:
    """Any command of goban, in this process: command("view", "out/hotspot"). Error: its exit code
    is not 0.

    >>> goban.command("doctor")  # doctest: +SKIP
    """
    sys.stdout.flush()
    array = (_library.ctypes.c_char_p * len(words))(*(word.encode() for word in words))
    code = _library.library().goban_python_command(array, len(words))
    said = _library.text().strip().removeprefix("goban: ")
    if code == RESUBMIT:
        raise Error("stopped early with a good checkpoint", "", "restart=True goes on", code=code)
    if code != 0:
        raise Error(said or f"goban {words[0]} ended with {code}", code=code)
    if said:
        print("goban: " + said, file=sys.stderr)
