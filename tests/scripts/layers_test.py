"""The layer check passes on this repository and finds each planted offence."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])
SLASH = "/"

OFFENCES = {
    # file: (content, expected message)
    "src/goban/grid/up.hpp": ('#include "goban/program/program.hpp"', "grid must not include program"),
    "src/goban/backend/cpu/sibling.cpp": (
        '#include "goban/backend/reference/run.hpp"',
        "backend/cpu must not include backend/reference",
    ),
    "src/goban/backend/door.cpp": (
        '#include "goban/backend/cpu/team.hpp"',
        "backend must not include backend/cpu",
    ),
    "src/goban/domain/inside.cpp": (
        '#include "goban/backend/cpu/team.hpp"',
        "domain must not include backend/cpu",
    ),
    "src/goban/io/peer.cpp": ('#include "goban/solver/cg.hpp"', "io must not include solver"),
    "src/goban/domain/ranks/local/copy.cpp": (
        '#include "goban/field/field.hpp"',
        "domain/ranks/local must not include field",
    ),
    "src/goban/io/snapshot/snapshot.cpp": ("#include <hdf5.h>", "<hdf5.h> belongs to io/snapshot/hdf5 only"),
    "src/goban/field/picture.cpp": ("#include <png.h>", "<png.h> belongs to io/image only"),
    "src/goban/io/case/case.hpp": ("#include <toml++/toml.h>", "belongs in a .cpp"),
    "src/goban/simulation/options.cpp": ("#include <CLI/CLI.hpp>", "belongs to cli only"),
    "src/goban/program/rank.cpp": ("#include <mpi.h>", "belongs to domain/ranks/mpi and mpi.hpp only"),
    "src/goban/domain/halo/up.cpp": (
        '#include "goban/domain/engine/engine.hpp"',
        "domain/halo must not include domain/engine",
    ),
    "src/goban/wrong/new.cpp": ("", "folder wrong is in no layer"),
    "src/goban/base/near.cpp": ('#include "near.h"', "is no file of this project"),
    "apps/heat/step.cpp": ('#include "life/model.hpp"', "apps/heat must not include apps/life"),
    "cli/run.cpp": ('#include "heat/model.hpp"', "is no file of this project"),
    "cli/skeleton.cpp": (
        'auto text = R"(\n)";\n#include "user/model.hpp"',
        "cli/skeleton.cpp:3: \"user/model.hpp\" is no file of this project",
    ),
    "tests/io/file_test.cpp": ("auto folder = testing::TempDir();", "take test::ScratchFolder"),
    "scripts/tabs.py": ("if True:\n\tpass", "scripts/tabs.py:2: tab"),
    "docs/here.md": (f"see {SLASH}home/someone/goban", "path of one machine"),
    "docs/long.md": ("Few.\n\n" + "many " * 60 + "\n" + "many " * 61, "docs/long.md:3: 121 words in a paragraph"),
    "docs/wide.md": ("| a |\n| --- |\n| " + "many " * 61 + "|", "docs/wide.md:3: 61 words in a cell"),
}

ALLOWED = {
    "src/goban/grid/grid.hpp": '#include "goban/base/types.hpp"\n#include <vector>',
    "src/goban/backend/cpu/team.cpp": '#include "goban/backend/api.hpp"\n#include "goban/program/schedule.hpp"',
    "src/goban/domain/data/plan.cpp": '#include "goban/domain/decomposition/decomposition.hpp"',
    "src/goban/io/snapshot/hdf5/file.cpp": "#include <hdf5.h>",
    "src/goban/io/case/file.cpp": "#include <toml++/toml.h>",
    "apps/heat/model.cpp": '#include "heat/model.hpp"\n#include "goban/goban.hpp"',
    "cli/main.cpp": '#include "cli/command_line.hpp"\n#include "goban/runtime/options.hpp"',
    "cli/skeleton.cpp": 'auto text = R"--(\n#include "user/model.hpp"\n)--";',
    "tests/scratch_folder.hpp": "auto folder = testing::TempDir();",
    "docs/index.md": "see https://example.org/home/page and ~/goban",
    "docs/items.md": ("- " + "many " * 80 + "\n") * 2 + "\n```\n" + "code " * 200 + "\n```\n",
}

# Of a whole tree the tables are judged, too.
WHOLE = ["src/goban/goban.hpp", "src/goban/mpi.hpp", "apps/heat/model.hpp", "cli/main.cpp"] + [
    f"src/goban/{folder}/here.hpp"
    for folder in "base boundary grid field stencil program lowering backend domain performance checkpoint io "
    "cases geometry adjoint partition sparse particle simulation solver runtime".split()
]


def check(root):
    command = [sys.executable, str(SOURCE / "scripts/check_layers.py"), str(root)]
    return subprocess.run(command, capture_output=True, text=True)


def plant(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n")


def main():
    failures = []
    result = check(SOURCE)
    if result.returncode != 0:
        failures.append("this repository:\n" + result.stdout + result.stderr)

    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder), ALLOWED)
        result = check(folder)
        if result.returncode != 0 or result.stdout:
            failures.append("allowed includes are refused:\n" + result.stdout + result.stderr)

    for name, (content, expected) in OFFENCES.items():
        with tempfile.TemporaryDirectory() as folder:
            plant(Path(folder), {name: content})
            result = check(folder)
            if result.returncode != 1 or expected not in result.stdout or name not in result.stdout:
                failures.append(f"{name}: expected '{expected}', got:\n{result.stdout}{result.stderr}")

    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder), dict.fromkeys(WHOLE, ""))
        result = check(folder)
        if result.returncode != 1 or "no file uses the row domain/data -> domain/halo" not in result.stdout:
            failures.append(f"rows without a use pass:\n{result.stdout}{result.stderr}")

    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
