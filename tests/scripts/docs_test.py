"""What the documentation shows exists and works: its programs are the examples that are built, its
links lead somewhere, the sources that it names are there, its commands and every case of cases/ are
accepted, its Python reads the files of a run, and the examples of `goban view` show something."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["GOBAN_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/python"))
from environment import environment, why_not  # noqa: E402

GOBAN = os.environ["GOBAN"]
PAGES = sorted(page for page in SOURCE.rglob("*.md")
               if not re.match(r"\.|build/|out/", str(page.relative_to(SOURCE))))
failures = []
accepted = []


def check(condition, message):
    if not condition:
        failures.append(message)


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def check_user_programs():
    for page, name in [("README.md", "diffusion"), ("docs/boundaries.md", "cooling")]:
        example = (SOURCE / f"examples/{name}/{name}.cpp").read_text()
        check(example in blocks(SOURCE / page, "cpp"), f"{page}: it does not show examples/{name}")
        if page == "README.md":
            check(len(example.splitlines()) <= 25, f"examples/{name}: more than 25 lines")


def check_python_programs(folder):
    """README.md shows the example in Python; the blocks of docs/python.md are one script that runs."""
    example = (SOURCE / "examples/python/diffusion.py").read_text()
    check(example in blocks(SOURCE / "README.md", "python"), "README.md: it does not show the Python")
    check(len(example.splitlines()) <= 25, "examples/python/diffusion.py: more than 25 lines")
    if why_not():
        return
    (folder / "cases").symlink_to(SOURCE / "cases")
    run = subprocess.run([sys.executable, "-c", "".join(blocks(SOURCE / "docs/python.md", "python"))],
                         cwd=folder, capture_output=True, text=True, env=environment())
    check(run.returncode == 0 and "steps" in run.stdout, f"docs/python.md: {run.stdout}{run.stderr}")
    check((folder / "out/plate/plate_heat.csv").exists(), "docs/python.md: its run leaves no series")


def check_links():
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)#\s]+)", text):
            if not re.match(r"[a-z]+:", link):
                check((page.parent / link).exists(), f"{page.relative_to(SOURCE)}: no such file: {link}")


def check_named_files():
    """Sources that pages name in backticks are there, by the end of their path; a new application's are the user's."""
    folders = ("src", "apps", "cli", "python", "scripts", "tests", "benchmarks", "examples")
    files = [str(path) for folder in folders for path in (SOURCE / folder).rglob("*.*")]
    pages = [SOURCE / "README.md", SOURCE / "ARCHITECTURE.md", *SOURCE.glob("docs/*.md"), *SOURCE.glob("apps/*/*.md")]
    for page in pages:
        if page.name == "new-application.md":
            continue
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for name in re.findall(r"`(?:\.\./)*([\w/.-]+\.(?:hpp|cpp|cuh|cu|py))`", text):
            check(any(file.endswith("/" + name) for file in files), f"{page.relative_to(SOURCE)}: there is no {name}")


def goban(arguments, folder):
    run = subprocess.run([GOBAN, *arguments], cwd=folder, capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def accept(arguments, where):
    """`goban run` plans the run only; other commands are shown their help. Each is tried once."""
    if arguments in accepted:
        return
    accepted.append(arguments)
    extra = "--dry-run" if arguments[0] == "run" else "--help"
    code, output = goban([*arguments, extra], SOURCE)
    check(code == 0, f"{where}: goban {shlex.join(arguments)} {extra} ends with {code}:\n{output}")


def check_commands(image):
    for page in PAGES:
        for block in blocks(page, r"\w*"):
            for command in re.findall(r"^(?:\./goban|goban) +([^#\n]+)", block, re.MULTILINE):
                words = [word.replace("=ggg40_100.raw", f"={image}") for word in shlex.split(command)]
                inputs = [word.split("=", 1)[1] for word in words if "=../" in word]
                if words[0] == "python":  # runs under python_test
                    check((SOURCE / words[1]).exists(), f"{page}: there is no {words[1]}")
                elif words[0] != "test" and all((SOURCE / path).exists() for path in inputs):
                    accept(words, page.relative_to(SOURCE))


def check_cases(image):
    cases = sorted(SOURCE.glob("cases/*/*.toml"))
    check(cases, "cases/ is empty")
    for case in cases:
        words = ["run", str(case.relative_to(SOURCE))]
        if case.name == "cast_iron.toml":
            words.append(f"medium.image={image}")
        accept(words, "cases")


def check_view_examples():
    """Of `goban view --help`, on what the case that they name leaves."""
    _, text = goban(["view", "--help"], SOURCE)
    examples = [shlex.split(line) for line in re.findall(r"^  goban (view .*?)(?:  .*)?$", text, re.M)]
    check(len(examples) == 9, f"goban view --help has {len(examples)} examples")
    with tempfile.TemporaryDirectory() as folder:
        case = str(SOURCE / "cases/heat/hotspot.toml")
        for words in [["run", case, "grid.cells=64,64,16", "time.steps=20"], *examples]:
            code, output = goban(words, folder)
            check(code == 0, f"goban {shlex.join(words)} ends with {code}:\n{output}")


def check_shown_case(folder):
    """The case file that docs/case-files.md shows."""
    (folder / "shown.toml").write_text(blocks(SOURCE / "docs/case-files.md", "toml")[0])
    code, output = goban(["run", "shown.toml", "--dry-run"], folder)
    check(code == 0, f"docs/case-files.md: its case is refused:\n{output}")


def check_python(folder):
    """docs/results.md: its run, shorter and on fewer cells, the files it names, and its Python."""
    if "hdf5" not in goban(["--version"], folder)[1]:
        return  # snapshots are of another kind
    page = SOURCE / "docs/results.md"
    command = shlex.split(re.search(r"^goban (run .*)$", blocks(page, "")[0], re.MULTILINE)[1])
    command[1] = str(SOURCE / command[1])
    smaller = ["grid.cells=24,20,16", "time.end=0.4 ms", "output.snapshots.every_time=0.2 ms",
               "output.statistics.fields=temperature", "--threads", "1"]
    code, output = goban([*command, *smaller], folder)
    check(code == 0, f"docs/results.md: {output}")
    for name in re.findall(r"`(hotspot_\S*(?:temperature|series)\S*\.\w+)`", page.read_text()):
        there = list((folder / "out/hotspot").glob(name.replace("0001362", "*")))
        check(there or name.endswith(".npy"), f"docs/results.md: there is no {name}")
    run = subprocess.run([sys.executable, "-c", "".join(blocks(page, "python"))], cwd=folder,
                         capture_output=True, text=True)
    check(run.returncode == 0 and "K at z = " in run.stdout, f"docs/results.md: {run.stdout}{run.stderr}")


with tempfile.TemporaryDirectory() as name:
    image = Path(name) / "image.raw"  # stands for the tomography, which is not in the repository
    image.write_bytes(bytes([87, 182]) * (100**3 // 2))
    check_user_programs()
    check_links()
    check_named_files()
    check_commands(image)
    check_cases(image)
    check_shown_case(Path(name))
    check_python(Path(name))
    check_python_programs(Path(name))
    check_view_examples()
print("\n".join(failures))
sys.exit(1 if failures else 0)
