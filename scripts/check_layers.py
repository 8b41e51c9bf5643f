#!/usr/bin/env python3
"""Checks who includes whom, against the tables below, and a few habits of text.

usage: scripts/check_layers.py [ROOT]      exit code 0: clean (warnings allowed), 1: errors

Dependencies point one way. A new edge is a design decision: it is made here, in its own commit.
"""

import re
import subprocess
import sys
from pathlib import Path

# Folders of src/goban (and apps, cli) from the bottom up. A folder sees those of the lines above
# it; folders on one line do not see each other.
LAYERS = [
    ["base"],
    ["boundary", "partition"],
    ["grid"],
    ["field"],
    ["stencil"],
    ["program"],
    ["sparse"],
    ["lowering"],
    ["backend", "domain"],
    ["performance", "checkpoint", "io"],
    ["cases", "geometry", "adjoint"],
    ["simulation", "solver"],
    ["particle"],
    ["runtime"],
    ["goban.hpp", "mpi.hpp"],
    ["apps", "cli"],
]

# Edges beside the order above: (from, to), `from` with its sub-folders, `to` without.
EXTRA_EDGES = [
    ("apps/blood", "apps/lbm"),  # velocities and collisions
    ("domain", "backend"),  # the door: backend/api.hpp
    ("domain/engine", "backend/kernels"),  # how tables of neighbours lie
    ("domain/engine", "backend/reference"),  # runs whole programs, without schedules
    ("domain/engine", "performance/model"),  # what is predicted to be fastest
    ("domain/decomposition", "performance/model"),
    ("backend/cuda", "io/file"),  # what is kept for later runs appears whole and durable
    ("backend/compiled", "io/file"),
    ("backend/cpu/compiled", "io/file"),
    ("checkpoint", "io/file"),  # files that appear whole, one way to say what failed
    ("performance/machine", "io/file"),
    ("performance/machine", "io/case"),  # TOML
    ("performance/measure", "io/file"),  # how fast files are written
]

# A sub-folder sees the files lying directly in its parents. It sees a sibling, and a parent sees it,
# only if listed here: (from, to), `to` without its sub-folders. Siblings never see each other both
# ways, nor in circles.
SUBFOLDER_EDGES = [
    ("backend/cpu", "backend/host"),
    # what kernels of all targets share: {kernels, generator, compiled}
    ("backend/cpu/kernels", "backend/kernels"),
    ("backend/cpu/generator", "backend/generator"),
    ("backend/cpu/compiled", "backend/compiled"),
    ("backend", "backend/kernels"),
    ("backend/cpu", "backend/cpu/kernels"),
    ("backend/cpu", "backend/cpu/generator"),
    ("backend/cpu", "backend/cpu/compiled"),
    ("backend/cpu", "backend/cpu/evaluator"),
    ("backend/cuda", "backend/compiled"),
    ("backend/cuda/driver", "backend/compiled"),
    ("backend/cuda/compiled", "backend/compiled"),
    ("backend/cuda/launch", "backend/compiled"),
    ("backend/cuda/generator", "backend/generator"),
    ("backend/cuda/kernels", "backend/kernels"),
    ("backend/cpu", "backend/cpu/evaluator"),
    # {driver, generator} <- compiled <- transfer <- launch <- cuda
    ("backend/cuda", "backend/host"),
    ("backend/cuda", "backend/cuda/kernels"),
    ("backend/cuda", "backend/cuda/driver"),
    ("backend/cuda", "backend/cuda/compiled"),
    ("backend/cuda", "backend/cuda/transfer"),
    ("backend/cuda", "backend/cuda/launch"),
    ("backend/cuda/compiled", "backend/cuda/driver"),
    ("backend/cuda/transfer", "backend/cuda/driver"),
    ("backend/cuda/transfer", "backend/cuda/compiled"),
    ("backend/cuda/transfer", "backend/cuda/kernels"),
    ("backend/cuda/launch", "backend/cuda/kernels"),
    ("backend/cuda/launch", "backend/cuda/driver"),
    ("backend/cuda/launch", "backend/cuda/generator"),
    ("backend/cuda/launch", "backend/cuda/compiled"),
    ("backend/cuda/launch", "backend/cuda/transfer"),
    ("checkpoint/nodes", "checkpoint/erasure"),
    # watch <- ranks <- {decomposition, halo} <- data <- engine
    ("domain/ranks", "domain/watch"),
    ("domain/data", "domain/ranks"),
    ("domain/data", "domain/decomposition"),
    ("domain/data", "domain/halo"),
    ("domain/engine", "domain/ranks"),
    ("domain/engine", "domain/decomposition"),
    ("domain/engine", "domain/halo"),
    ("domain/engine", "domain/data"),
    # file <- image <- {case, picture}, file <- snapshot
    ("io/image", "io/file"),
    ("io/case", "io/file"),
    ("io/case", "io/image"),
    ("io/picture", "io/file"),
    ("io/picture", "io/image"),
    ("io/picture", "geometry"),  # arithmetic with directions
    ("io/snapshot", "io/file"),
    ("io/snapshot", "io/snapshot/hdf5"),
    ("particle", "particle/nodes"),
    ("performance/machine", "performance/measure"),
    ("performance/measure", "performance/model"),
    ("performance/predict", "performance/model"),
    ("performance/machine", "performance/model"),
    # live <- plan, output <- plan <- checkpointer <- report <- run <- application
    ("simulation/plan", "simulation/live"),
    ("simulation/run", "simulation/live"),
    ("simulation/plan", "simulation/output"),
    ("simulation/checkpointer", "simulation/plan"),
    ("simulation/report", "simulation/output"),
    ("simulation/report", "simulation/plan"),
    ("simulation/report", "simulation/checkpointer"),
    ("simulation/predict", "simulation/report"),
    ("simulation/run", "simulation/predict"),
    ("simulation/run", "simulation/output"),
    ("simulation/run", "simulation/plan"),
    ("simulation/run", "simulation/checkpointer"),
    ("simulation/run", "simulation/report"),
    ("simulation/application", "simulation/run"),
    # mathematics <- graph
    ("stencil", "stencil/mathematics"),
    ("stencil", "stencil/graph"),
    ("stencil/graph", "stencil/mathematics"),
]

# Edges taken away again: (from, to), both with their sub-folders.
FORBIDDEN_EDGES = [
    ("performance/model", "backend"),  # predictions need no device
    ("performance/model", "domain"),
    ("domain/watch", "field"),
    ("domain/watch", "stencil"),
    ("domain/watch", "program"),
    ("domain/ranks", "field"),
    ("domain/ranks", "stencil"),
    ("domain/ranks", "program"),
]

# The folders in which a foreign header may appear.
HEADER_HOMES = {
    r"hdf5\.h|H5.*\.h": ["io/snapshot/hdf5"],
    r"png\.h": ["io/image"],
    r"cairo.*\.h": ["io/picture"],
    r"toml\+\+/.*": ["io/case"],
    r"CLI/.*": ["cli"],
    r"httplib\.h": ["simulation/live/http"],
    r"mpi\.h": ["domain/ranks/mpi", "mpi.hpp"],
    r"cuda.*|nvrtc.*|nccl\.h|cooperative_groups.*|cub/.*|thrust/.*|nvtx3/.*": [],  # no build needs them
}

SOURCE_SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh"}
TEXT_SUFFIXES = SOURCE_SUFFIXES | {".py", ".sh", ".cmake", ".txt", ".in", ".md", ".toml", ".json", ""}
SHARED_FOLDER = re.compile(r"TempDir\(\)|temp_directory_path|/dev/shm")
# Tests run beside each other: their files lie in test::ScratchFolder, or in what ranks agree on.
FOLDERS_OF_TESTS = ["tests/scratch_folder.hpp", "tests/mpi/share_of_memory.cpp"]
MACHINE_PATH = re.compile(r"(^|[^\w.$}])/(work|root|home|farm)/")
RAW_STRING = re.compile(r'R"([^\s(]*)\((.*?)\)\1"', re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
LINES_PER_FILE = 500
# Pages are read, not studied: so many words a paragraph or item of a list, and a cell of a table.
WORDS_PER_PARAGRAPH, WORDS_PER_CELL = 120, 60
NO_PROSE = re.compile(r"<!--.*?-->|^```.*?^```$|^ {4}.*?$|^#.*?$", re.DOTALL | re.MULTILINE)


def is_in(path, folder):
    return path == folder or path.startswith(folder + "/")


def folder_of(path):
    """'domain/ranks/mpi' for src/goban/domain/ranks/mpi/x.hpp, 'apps/heat', 'cli'; or None."""
    parts = path.split("/")
    if parts[:2] == ["src", "goban"]:
        return "/".join(parts[2:-1]) or parts[-1]
    return "/".join(parts[:-1]) if parts[0] in ("apps", "cli") else None


def target_of(header, folder, here):
    """The folder an include in quotes leads to, or None if it leads nowhere in the project."""
    if header.startswith("goban/"):
        return folder_of("src/" + header)
    if header.startswith("cli/"):
        return folder_of(header)
    if folder.startswith("apps/"):
        app = header.split("/")[0] if "/" in header else folder.split("/")[1]
        return "apps/" + app
    return folder if "/" not in header and (here / header).exists() else None


def layer_of(folder):
    top = folder.split("/")[0]
    return next((level for level, names in enumerate(LAYERS) if top in names), None)


def may_include(source, target, used):
    """Whether; the rows of tables that say so go to `used`."""
    if any(is_in(source, a) and is_in(target, b) for a, b in FORBIDDEN_EDGES):
        return False
    if source == target:
        return True
    rows = [(a, b) for a, b in EXTRA_EDGES + SUBFOLDER_EDGES if is_in(source, a) and target == b]
    used.update(rows)
    if rows:
        return True
    if source.split("/")[0] == target.split("/")[0]:
        return is_in(source, target)
    return layer_of(target) < layer_of(source)


def check_includes(root, path, lines, used):
    folder = folder_of(path)
    if folder is None:
        return
    if layer_of(folder) is None:
        yield 1, f"folder {folder} is in no layer; add it to LAYERS"
        return
    code = RAW_STRING.sub(lambda literal: "\n" * literal[0].count("\n"), "\n".join(lines))
    for number, line in enumerate(code.split("\n"), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        quoted, header = found[1] == '"', found[2]
        target = target_of(header, folder, (root / path).parent) if quoted else None
        if target is not None:
            if layer_of(target) is None or not may_include(folder, target, used):
                yield number, f"{folder} must not include {target} ({header})"
            continue
        if quoted:
            yield number, f'"{header}" is no file of this project: write <{header}> or "goban/..."'
        for pattern, homes in HEADER_HOMES.items():
            if not re.fullmatch(pattern, header):
                continue
            homes_here = [home for home in homes if is_in(folder, home)]
            used.update((pattern, home) for home in homes_here)
            if not homes_here:
                yield number, f"<{header}> belongs to {' and '.join(homes) or 'nothing'} only"
        if header.startswith("toml++/") and not path.endswith(".cpp"):
            yield number, f"<{header}> belongs in a .cpp, behind its guards"


def check_rows(used):
    rows = EXTRA_EDGES + SUBFOLDER_EDGES
    rows = rows + [(pattern, home) for pattern, homes in HEADER_HOMES.items() for home in homes]
    for a, b in rows:
        if (a, b) not in used:
            yield f"no file uses the row {a} -> {b}"
    siblings = {(a, b) for a, b in SUBFOLDER_EDGES if not is_in(a, b) and not is_in(b, a)}
    while siblings:
        lowest = {b for _, b in siblings} - {a for a, _ in siblings}
        if not lowest:
            yield "a circle among " + ", ".join(sorted({a for a, _ in siblings}))
            return
        siblings = {(a, b) for a, b in siblings if b not in lowest}


def check_folders_of_tests(path, lines):
    if not is_in(path, "tests") or path in FOLDERS_OF_TESTS:
        return
    for number, line in enumerate(lines, 1):
        if SHARED_FOLDER.search(line):
            yield number, "a folder that tests share; take test::ScratchFolder"


def check_text(lines):
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            yield number, "tab"
        if MACHINE_PATH.search(line):
            yield number, "path of one machine"


def check_prose(text):
    """Yields the paragraphs and cells of a page that are too long."""
    text = NO_PROSE.sub(lambda part: "\n" * part[0].count("\n"), text)
    items = []  # (first line, is it a row of a table, text)
    ends = True
    for number, line in enumerate(text.split("\n"), 1):
        is_row = line.startswith("|")
        if line.strip() and (ends or is_row or re.match(r"\s*([-*]|\d+\.) ", line)):
            items.append((number, is_row, line))
        elif line.strip():
            items[-1] = (*items[-1][:2], items[-1][2] + " " + line)
        ends = is_row or not line.strip()
    for number, is_row, item in items:
        parts = re.split(r"(?<!\\)\|", item) if is_row else [item]
        words, most = max(len(part.split()) for part in parts), WORDS_PER_CELL if is_row else WORDS_PER_PARAGRAPH
        if words > most:
            yield number, f"{words} words in a {'cell' if is_row else 'paragraph'}; {most} are enough"


def files_of(root):
    """Tracked and new files, without ignored ones; all but build/ and out/ where there is no git."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        names = sorted(set(listing.split("\0")) - {""})
    except (FileNotFoundError, subprocess.CalledProcessError):
        names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
        names = [name for name in names if not re.match(r"\.|build/|out/", name)]
    return [name for name in names if (root / name).is_file() and not (root / name).is_symlink()]


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve()
    errors = 0
    used, tops = set(), set()
    for path in files_of(root):
        suffix = Path(path).suffix
        if suffix not in TEXT_SUFFIXES:
            continue
        try:
            lines = (root / path).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        problems = list(check_text(lines))
        if suffix == ".md":
            problems += check_prose("\n".join(lines))
        if suffix in SOURCE_SUFFIXES:
            problems += check_includes(root, path, lines, used)
            tops.add((folder_of(path) or "").split("/")[0])
            problems += check_folders_of_tests(path, lines)
            if len(lines) > LINES_PER_FILE:
                print(f"{path}: warning: {len(lines)} lines; two ideas in one file?")
        for number, problem in sorted(problems):
            print(f"{path}:{number}: {problem}")
        errors += len(problems)
    if tops.issuperset(name for names in LAYERS for name in names):  # no part of a tree
        for problem in check_rows(used):
            print(f"scripts/check_layers.py: {problem}")
            errors += 1
    if errors:
        print(f"{errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
