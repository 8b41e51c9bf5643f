"""A rank that fails ends the job with one line that names it, soon, and leaves no process behind.

usage: failing_ranks_test.py PROGRAM MPIRUN [OPTION...]
"""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

RANKS = 4
MOST_SECONDS = 15
ANY = "any"
HOST = re.escape(socket.gethostname())

# How rank 2 fails, what is said of it, the exit code; None where an mpirun may make up its own.
CASES = {
    "none": (None, 0),
    "kill": (rf"rank 2 \(host {HOST}, pid \d+\) died \(.*killed", None),
    "kill 0": (rf"rank 0 \(host {HOST}, pid \d+\) died \(.*killed", None),
    "interrupted": (None, None),  # mpirun kills what has been asked to stop and has done so
    "interrupted 0": (None, None),
    "crash": (rf"rank 2 \(host {HOST}, pid \d+\) died \(it crashed", None),
    "stop": (r"rank 2 .* has given no sign for 2 s \(it is stopped\)", None),
    "stop 0": (r"rank 0 .* has given no sign for 2 s \(it is stopped\)", None),
    "exit": (r"rank 2 .* has ended before the others \(", None),
    "quick_exit": (r"rank 2 .* died", ANY),  # Hydra may say 0
    "loop": (r"rank 2 .* hangs in a sweep \(no progress for \d+ s, and rank \d has waited for", None),
    "loop 0": (r"rank 0 .* hangs in a sweep \(no progress for \d+ s, and rank \d has waited for", None),
    "output": (None, 0),
    "memory": (rf"rank 2 \({HOST}\): out of memory", 3),
    "error": (rf"rank 2 \({HOST}\): the disk is full \(it is a test\)$", 4),
    "error 0": (rf"rank 0 \({HOST}\): the disk is full \(it is a test\)$", 4),
    "uncaught": (rf"^goban: rank 2 \({HOST}\): the disk is full \(it is a test\)$", 4),
    "exception": (rf"rank 2 \({HOST}\): a surprise$", 1),
    "all": (r"error: the disk is full \(it is a test\)$", 4),
    "early -1": (r"error: too early$", 2),
    "abandon": (r"rank 2 says it itself$", 5),
}


def processes_with(mark):
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_there = mark.encode() in (folder / "environ").read_bytes().split(b"\0")
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if is_there and int(folder.name) != os.getpid():
            found.append((int(folder.name), command))
    return found


def check(case, command, expected, code, watch="2,3", may_be_killed=False):
    mark = f"GOBAN_TEST_CASE={os.getpid()}-{case.replace(' ', '-')}-{watch}"
    environment = dict([mark.split("=")], **{**os.environ, "GOBAN_WATCH": watch})
    start = time.monotonic()
    run = subprocess.Popen(command + case.split(), env=environment, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors="replace")
    try:
        output, _ = run.communicate(timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        for pid, _ in processes_with(mark):
            os.kill(pid, 9)
        output, _ = run.communicate()
    seconds = time.monotonic() - start
    lines = [line for line in output.splitlines() if re.search("(goban: )?error: |goban: ", line)]
    problems = []
    if seconds > MOST_SECONDS:
        problems.append(f"it took {seconds:.1f} s")
    if code != ANY and (run.returncode == 0 if code is None else run.returncode != code):
        problems.append(f"exit code {run.returncode} instead of {code}")
    if len(lines) != (expected is not None):
        problems.append(f"{len(lines)} lines")
    if expected and lines and not re.search(expected, lines[0]):
        problems.append(f"not {expected}")
    time.sleep(0.1)
    for pid, left in processes_with(mark):
        problems.append(f"left over: {left}")
        os.kill(pid, 9)
    is_silent = case == "quick_exit" and run.returncode == 0  # nothing is wrong, says Hydra
    if may_be_killed and problems == ["0 lines"] and ("BAD TERMINATION" in output or is_silent):
        problems = []
    print(f"{case:10} {watch:4} {seconds:5.1f} s  code {run.returncode:3}  {' | '.join(lines)}")
    if problems:
        print(f"FAILED {case}: {'; '.join(problems)}\n{output}")
    sys.stdout.flush()
    return not problems


def main():
    program, mpirun, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    if not Path(mpirun).exists():
        print("skipped: no mpirun")
        return 77
    command = [mpirun, "-n", str(RANKS), *options, program]
    only = os.environ.get("GOBAN_TEST_ONLY")
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True).stdout
    is_hydra = "Open MPI" not in version
    results = []
    for case, (expected, code) in CASES.items():
        # Hydra kills all when it sees the end of one, often before that is said: then it names the
        # process and its machine itself. Its exit code is that of any.
        is_killed = is_hydra and case.split()[0] in ("kill", "crash", "quick_exit")
        if is_hydra and code not in (0, ANY) and case not in ("all", "early -1"):
            code = None
        if only in (None, case):
            results.append(check(case, command, expected, code, may_be_killed=is_killed))
    if only is None:  # errors are reported without the watch, too
        results += [check("none", command, None, 0, watch="off"),
                    check("error", command, CASES["error"][0], None, watch="off")]
        results += [check("all", command, CASES["all"][0], 4, watch="off")]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
