"""What the documentation shows exists and works: its program is the example that is built, its links
lead somewhere, its commands and every case of cases/ are accepted, and the examples of `goban view` show something."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])
GOBAN = os.environ["GOBAN"]
PAGES = sorted(page for page in SOURCE.rglob("*.md")
               if not re.match(r"\.|build/|out/", str(page.relative_to(SOURCE))))
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def check_user_program():
    shown = blocks(SOURCE / "README.md", "cpp")
    example = (SOURCE / "examples/diffusion/diffusion.cpp").read_text()
    check(shown and shown[0] == example, "README.md: the program differs from examples/diffusion")
    check(len(example.splitlines()) <= 25, "examples/diffusion: more than 25 lines")


def check_links():
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)#\s]+)", text):
            if not re.match(r"[a-z]+:", link):
                check((page.parent / link).exists(), f"{page.relative_to(SOURCE)}: no such file: {link}")


def goban(arguments, folder):
    run = subprocess.run([GOBAN, *arguments], cwd=folder, capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def accept(arguments, where):
    """`goban run` plans the run only; other commands are shown their help."""
    extra = "--dry-run" if arguments[0] == "run" else "--help"
    code, output = goban([*arguments, extra], SOURCE)
    check(code == 0, f"{where}: goban {shlex.join(arguments)} {extra} ends with {code}:\n{output}")


def check_commands():
    for page in PAGES:
        for block in blocks(page, r"\w*"):
            for command in re.findall(r"^(?:\./goban|goban) +([^#\n]+)", block, re.MULTILINE):
                words = shlex.split(command)
                inputs = [word.split("=", 1)[1] for word in words if "=../" in word]
                if words[0] != "test" and all((SOURCE / path).exists() for path in inputs):
                    accept(words, page.relative_to(SOURCE))


def check_cases():
    cases = sorted(SOURCE.glob("cases/*/*.toml"))
    check(cases, "cases/ is empty")
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image.raw"  # stands for the tomography, which is not in the repository
        image.write_bytes(bytes([87, 182]) * (100**3 // 2))
        for case in cases:
            words = ["run", str(case.relative_to(SOURCE))]
            if case.name == "cast_iron.toml":
                words.append(f"medium.image={image}")
            accept(words, "cases")


def check_view_examples():
    """Of `goban view --help`, on what the case that they name leaves."""
    _, text = goban(["view", "--help"], SOURCE)
    examples = [shlex.split(line) for line in re.findall(r"^  goban (view .*?)(?:  .*)?$", text, re.M)]
    check(len(examples) == 5, "goban view --help: no examples")
    with tempfile.TemporaryDirectory() as folder:
        case = str(SOURCE / "cases/heat/hotspot.toml")
        for words in [["run", case, "grid.cells=64,64,16", "time.steps=20"], *examples]:
            code, output = goban(words, folder)
            check(code == 0, f"goban {shlex.join(words)} ends with {code}:\n{output}")


check_user_program()
check_links()
check_commands()
check_cases()
check_view_examples()
print("\n".join(failures))
sys.exit(1 if failures else 0)
