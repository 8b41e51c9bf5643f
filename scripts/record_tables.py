#!/usr/bin/env python3
"""Makes the tables and pictures of documents from the records of benchmarks/records, whose layout
benchmarks/records/README.md describes. A document marks a table so:

    <!-- table: KIND RECORD ... [key=value ...] -->
    <!-- end of table -->

usage: scripts/record_tables.py --check | --write | --print "KIND RECORD ... [key=value ...]" [--root DIR]

--check says what differs, in one line each (exit code 1), --write renews it, --print shows a table.
A RECORD is a file's name without .json, * stands for anything; of those that it names the newest
that has such measurements is taken.

KIND
  rates              one GPU, every kernel: goban-gpu-rates beside its twins of goban-gpu-schemes
  rates-picture      the same as docs/pictures/gpu_rates.svg
  scaling            several GPUs: goban-gpu-rates, or processes of goban-exchange
  shares             every way to exchange halos as a share of one device's speed: goban-exchange
  expansion          steps per exchange, and those that runs choose: goban-exchange
  step-times         single steps, a column for each of the records: goban-exchange
  applications       app=NAME: whole runs on one GPU, of every case the newest in any of the records
  resident           sweeps beside their rate in cache
  figures            the lines after the first of the mark are the text, in which
                     {words; path [/ number] [- number]; format} is a value of the newest run
                     whose command has the words (and not those after a !); {words; record;}
                     is its record
  graph500           the Graph500 benchmark: scripts/graph500_record.py
  peers              the same steps in other libraries: scripts/beside_peers.py
  model              predictions beside measurements: scripts/model_validation.py
  tuning             what was tuned beside the fastest of all ways, of the same
  balance-picture    file=PATH names=A,B: how cuts came to rest
"""

import argparse
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source tree

from records.applications import applications, figures, resident
from records.balance import balance_picture
from records.exchange import expansion, shares, step_times
from records.graph500 import graph500
from records.layout import read_all
from records.model import model, tuning
from records.peers import peers
from records.rates import scaling, single
from records.rates_picture import rates_picture
from records.text import Page, Problem

KINDS = {
    "rates": single, "rates-picture": rates_picture, "scaling": scaling, "shares": shares,
    "expansion": expansion, "step-times": step_times, "applications": applications,
    "resident": resident, "figures": figures, "balance-picture": balance_picture, "graph500": graph500,
    "model": model, "tuning": tuning, "peers": peers,
}
DOCUMENTS = ("*.md", "docs/*.md", "apps/*/*.md")
END = "<!-- end of table -->"
MARK = re.compile(r"^<!-- table: ([^\n]*?)(?:\n(.*?))?-->\n(.*?)^" + re.escape(END) + "$",
                  re.DOTALL | re.MULTILINE)


def named(records, patterns):
    """Those that any of the names names, the newest first."""
    for pattern in patterns:
        expression = ".*".join(map(re.escape, pattern.split("*")))
        fitting = [r for r in records if re.fullmatch(expression, r["path"].stem)]
        if not fitting:
            raise Problem(f"there is no record {pattern}")
        yield from fitting


def made(line, text, records, page):
    """What a mark asks for, and files."""
    words = line.split()
    options = {"text": text or "", **dict(word.split("=", 1) for word in words[1:] if "=" in word)}
    names = [word for word in words[1:] if "=" not in word]
    if not words or words[0] not in KINDS:
        raise Problem(f"'{line.strip()}' is no kind of table (--help lists them)")
    if not names:
        raise Problem(f"'{line.strip()}' names no record")
    wanted = {r["path"] for r in named(records, names)}
    result = KINDS[words[0]]([r for r in records if r["path"] in wanted], options, page)
    return result if isinstance(result, tuple) else (result, {})


def renewed(document, records, root):
    """Its text as it should be, {file: content} of its pictures, and the marks whose tables differ."""
    page, files, different = Page(root, document), {}, []
    text = document.read_text(encoding="utf-8")

    def fill(mark):
        content, pictures = made(mark[1], mark[2], records, page)
        files.update(pictures)
        content = "\n" + content.strip("\n") + "\n\n"
        if content != mark[3]:
            different.append(mark[1].strip())
        return mark[0][:mark.start(3) - mark.start()] + content + END

    result = MARK.sub(fill, text)
    if len(MARK.findall(text)) != len(re.findall(r"^<!-- table: ", text, re.MULTILINE)):
        raise Problem(f"a table has no line {END}")
    return result, files, different


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--check", action="store_true")
    todo.add_argument("--write", action="store_true")
    todo.add_argument("--print", metavar="TABLE", dest="shown")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    options = parser.parse_args()
    root = options.root.resolve()
    problems = []
    try:
        records = read_all(root / "benchmarks/records")
        if options.shown:
            print(made(options.shown, "", records, Page(root, root / "README.md"))[0])
            return
    except Problem as problem:
        sys.exit(f"record_tables: error: {problem}")
    for document in sorted(path for pattern in DOCUMENTS for path in root.glob(pattern)):
        name = document.relative_to(root)
        try:
            text, files, different = renewed(document, records, root)
        except Problem as problem:
            problems.append(f"{name}: {problem}")
            continue
        stale = [f"{name}: the table '{mark}'" for mark in different]
        for path, content in files.items():
            if not path.exists() or path.read_text(encoding="utf-8") != content:
                stale.append(str(path.relative_to(root)))
        if options.check:
            problems += [f"{one} differs from its records (scripts/record_tables.py --write renews it)"
                         for one in stale]
        elif stale:
            for path, content in {document: text, **files}.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            print("\n".join(f"record_tables: renewed {one}" for one in stale))
    for problem in problems:
        print(f"record_tables: error: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
