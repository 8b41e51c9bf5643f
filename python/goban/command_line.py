"""The command `goban` of an installed package: hands over to its program."""

import os
import sys

from goban import _library


def main() -> int:
    program = os.path.join(_library.INSTALLED, "bin", "goban")
    _library.name_compiler()
    os.execv(program, ["goban", *sys.argv[1:]])
