#!/usr/bin/env python3
"""The live page of a run: who is let in, three viewers, one that is killed and one that never reads;
pause, checkpoint, picture, stop and save; the bits are those of a run without a page. A folder that
is followed; a Unix socket."""

import http.client
import json
import math
import os
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

GOBAN = os.environ["GOBAN"]
CASE = str(Path(os.environ["GOBAN_SOURCE"]) / "cases/heat/hotspot.toml")
WORDS = ["grid.spacing=0.25 mm", "time.dt=1 us", "run.threads=1", "grid.cells=24,20,16",
         "output.series.every=50", "output.snapshots.every=1000"]
IS_LONG = bool(os.environ.get("GOBAN_LONG_TESTS"))
ATTACKED = 600 if IS_LONG else 2  # seconds
PATIENCE = 60  # seconds, on machines with much else to do


class Run:
    """A goban that serves a page."""

    def __init__(self, folder, *words):
        self.job = subprocess.Popen([GOBAN, *words], cwd=folder, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
        said = ""
        for line in self.job.stdout:
            said += line
            if line.startswith("live page: "):
                break
        found = re.search(r"http://([\w.]+)(?::(\d+))?.*/\?token=(\w{32})\b", said)
        assert found, said
        self.host, self.port, self.token = found[1], found[2] and int(found[2]), found[3]

    def ask(self, method, path, token=None, headers=None, **query):
        query["token"] = self.token if token is None else token
        words = "&".join(f"{name}={value}" for name, value in query.items())
        door = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        door.request(method, f"{path}?{words}", headers=headers or {})
        answer = door.getresponse()
        text = answer.read()
        door.close()
        return answer.status, text

    def order(self, what, **query):
        assert self.ask("POST", "/order", what=what, **query)[0] == 204, what

    def plane(self, **query):
        status, body = self.ask("GET", "/slice", **query)
        assert status == 200, status
        length = int(body[:8])
        facts = json.loads(body[8:8 + length])
        count = facts["width"] * facts["height"]
        return facts, struct.unpack(f"{count}f", body[8 + length:])

    def end(self):
        said, _ = self.job.communicate(timeout=PATIENCE)
        return said, self.job.returncode


class Viewer(threading.Thread):
    """Reads events to their end."""

    def __init__(self, run):
        super().__init__(daemon=True)
        self.events, self.state, self.ended = [], {}, False
        self.door = http.client.HTTPConnection(run.host, run.port, timeout=PATIENCE)
        self.door.request("GET", f"/events?token={run.token}")
        self.answer = self.door.getresponse()
        assert self.answer.status == 200, self.answer.status
        assert self.answer.headers["Content-Type"] == "text/event-stream"
        self.start()

    def run(self):
        name = ""
        for line in self.answer:
            line = line.decode().rstrip("\n")
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                data = json.loads(line[6:])
                if name == "state":
                    self.state = data
                self.events.append((name, data))
        self.ended = bool(self.events) and self.events[-1][0] == "end"

    def of(self, name):
        return [data for event, data in list(self.events) if event == name]


def wait_until(holds, what):
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def silent(run):
    """Asks for events and never reads."""
    door = socket.create_connection((run.host, run.port))
    door.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    door.sendall(f"GET /events?token={run.token} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return door


def check_doors(run):
    page = run.ask("GET", "/")
    assert page[0] == 200 and b"<!doctype html>" in page[1] and b"uPlot" in page[1]
    assert b"https://" not in page[1].replace(b"https://github.com/leeoniya/uPlot", b""), "another host"
    here = f"localhost:{run.port}"
    for status, token, headers in [
            (403, "", {}), (403, "0" * 32, {}), (403, run.token[:-1], {}),
            (403, run.token, {"Host": "example.com"}), (403, run.token, {"Host": f"127.0.0.1.example.com:{run.port}"}),
            (403, run.token, {"Origin": "http://example.com"}), (403, run.token, {"Origin": "null"}),
            (403, run.token, {"Host": here, "Origin": f"http://127.0.0.1:{run.port}"}),
            (200, run.token, {"Host": here, "Origin": f"http://{here}"}),
            (200, run.token, {"Host": "localhost:9999"})]:  # as through a tunnel
        assert run.ask("GET", "/", token, headers)[0] == status, (token, headers)
    for path in ["/events", "/slice"]:
        assert run.ask("GET", path, "0" * 32)[0] == 403
    assert run.ask("POST", "/order", "0" * 32, what="stop")[0] == 403
    assert run.ask("POST", "/order", headers={"Origin": "http://example.com"}, what="stop")[0] == 403
    assert run.ask("POST", "/order", what="explode")[0] == 400
    assert run.ask("GET", "/slice", axis=7)[0] == 400
    assert run.ask("GET", "/elsewhere")[0] == 404


def watch_and_stop(folder):
    run = Run(folder, "run", CASE, "--out", "watched", "--live", "time.end=10", *WORDS)
    check_doors(run)
    viewers = [Viewer(run) for _ in range(3)]
    lost, slow = silent(run), silent(run)
    lost.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    lost.close()  # reset, not closed
    for viewer in viewers:
        wait_until(lambda: viewer.state.get("step", 0) > 0, "no progress")
        facts = viewer.of("facts")[0]
        assert facts["name"] == "hotspot" and facts["fields"][0]["cells"] == [24, 20, 16]
    facts, values = run.plane(field=0, axis=2, layer=8)
    assert (facts["width"], facts["height"]) == (24, 20) and facts["place"].startswith("z = ")
    assert all(map(math.isfinite, values)) and min(values) >= 318
    assert run.plane(field=0, axis=0, layer=10**9)[0]["width"] == 20  # the last there is
    later = run.plane(field=0, axis=2, layer=8, after=facts["step"])[0]
    assert later["step"] > facts["step"]
    wait_until(lambda: viewers[0].state["step"] > 100, "no progress")
    values = run.plane(field=0, axis=1, layer=10, after=100)[1]
    assert max(values) > min(values)

    run.order("pause")
    wait_until(lambda: viewers[0].state["status"] == "paused", "no pause")
    step = viewers[0].state["step"]
    time.sleep(0.3)
    assert run.plane(field=0, axis=1, layer=3)[0]["step"] == step == viewers[0].state["step"]
    run.order("checkpoint")
    wait_until(lambda: (folder / f"watched/chk/{step:07}").is_dir(), "no checkpoint")
    run.order("picture", field=0, axis=1, layer=3)
    picture = folder / f"watched/hotspot_live_temperature_y3.{step:07}.png"
    wait_until(picture.exists, "no picture")
    run.order("resume")
    wait_until(lambda: viewers[2].state["status"] == "running" and viewers[2].state["step"] > step, "it stays")

    run.order("stop")
    said, code = run.end()
    assert code == 75, (code, said)
    slow.close()
    status = (folder / "watched/STATUS").read_text()
    assert status.startswith("stopped: live page at step "), status
    last = int(re.search(r"step (\d+)", status)[1])
    assert (folder / f"watched/chk/{last:07}").is_dir(), "no checkpoint where it stopped"
    for viewer in viewers:
        viewer.join(PATIENCE)
        assert viewer.ended and viewer.state["status"] == "stopped", viewer.events[-3:]
        assert any("paused at step" in line for line in viewer.of("line"))
    # Nobody has missed a row.
    [series] = (folder / "watched").glob("*.csv")
    rows = series.read_text().splitlines()[1:]
    seen = []
    for news in viewers[1].of("series"):
        seen = news["rows"] if news["anew"] else seen + news["rows"]
    assert len(rows) > 1 and seen[-1][0] == float(rows[-1].split(",")[1]), (seen[-1], rows[-1])
    assert len(seen) == len(rows) or len(rows) > 4000, (len(seen), len(rows))


def checksum(folder):
    return json.loads((folder / "summary.json").read_text())["checksum"]


def compare_bits(folder):
    words = ["time.end=2 ms", *WORDS]
    subprocess.run([GOBAN, "run", CASE, "--out", "alone", *words], cwd=folder, check=True,
                   capture_output=True)
    run = Run(folder, "run", CASE, "--out", "seen", "--live", *words)
    run.order("pause")
    viewer = Viewer(run)
    for layer in range(3):
        run.plane(field=0, axis=2, layer=layer)
    run.order("resume")
    said, code = run.end()
    assert code == 0, said
    viewer.join(PATIENCE)
    assert viewer.ended and viewer.state["status"] == "finished", viewer.state
    assert checksum(folder / "alone") == checksum(folder / "seen")


def break_off(run, request):
    """Sends a request, reads at most a little of what is answered and resets the connection."""
    door = socket.create_connection((run.host, run.port), timeout=PATIENCE)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    try:
        door.sendall(request)
        door.settimeout(0.02)
        door.recv(random.choice([1, 4096]))
    except OSError:
        pass
    door.close()


def attacks(run):
    """Returns requests that end in nothing, with and without the token."""
    host = f"Host: localhost:{run.port}\r\n"
    with_token = f"token={run.token} HTTP/1.1\r\n{host}"
    return [
        f"GET /events?{with_token}\r\n".encode(),
        f"GET /slice?field=0&axis=2&layer=3&{with_token}\r\n".encode(),
        f"GET /slice?field=0&axis=2&layer=3&after=1000000000&viewer=gone&{with_token}\r\n".encode(),
        f"GET /?{with_token}".encode(),  # a head without an end
        f"POST /order?what=stop&{with_token}Origin: http://example.com\r\nContent-Length: 0\r\n\r\n".encode(),
        f"POST /order?what=stop&token={'0' * 32} HTTP/1.1\r\n{host}Content-Length: 0\r\n\r\n".encode(),
        f"POST /order?what=explode&{with_token}Content-Length: 1000000000\r\n\r\n".encode(),
        b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 100_000 + b"\r\n\r\n",
        random.randbytes(2000), b"\r\n\r\n", b"",
    ]


def resources(run):
    """Returns open files, threads and resident memory in MiB of a run."""
    here = Path(f"/proc/{run.job.pid}")
    status = (here / "status").read_text()
    return (len(list((here / "fd").iterdir())), int(re.search(r"Threads:\s+(\d+)", status)[1]),
            int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024)


def stand_attacks(folder):
    """Three viewers watch while others break connections off, wait, read slowly and guess tokens."""
    run = Run(folder, "run", CASE, "--out", "attacked", "--live", "time.end=1000", *WORDS)
    viewers = [Viewer(run) for _ in range(3)]
    begun, before, readers = time.monotonic(), None, []
    while (passed := time.monotonic() - begun) < ATTACKED:
        if before is None and passed > ATTACKED / 5:
            before = resources(run)
        break_off(run, random.choice(attacks(run)))
        readers = [*readers[-5:], silent(run)]
        assert run.ask("POST", "/order", random.randbytes(16).hex(), what="stop")[0] == 403
        assert run.job.poll() is None, run.end()
    for viewer in viewers:
        step = viewer.state["step"]
        wait_until(lambda: viewer.state["step"] > step, "a viewer waits")
    del readers
    after = resources(run)
    print(f"attacked for {ATTACKED} s: files, threads, MiB {before}, then {after}; {viewers[0].state}")
    # Lost streams are noticed within two seconds; each thread keeps the memory of one telling.
    assert after[0] <= before[0] + 40 and after[1] <= before[1] + 20, (before, after)
    assert after[2] <= before[2] + 50, (before, after)
    run.order("stop")
    said, code = run.end()
    assert code == 75, (code, said)
    for viewer in viewers:
        viewer.join(PATIENCE)
        assert viewer.ended and viewer.state["status"] == "stopped", viewer.events[-3:]
    subprocess.run([GOBAN, "run", CASE, "--out", "unseen", "time.end=1000",
                    f"time.steps={viewers[0].state['step']}", *WORDS],
                   cwd=folder, check=True, capture_output=True)
    assert checksum(folder / "attacked") == checksum(folder / "unseen")
    [[seen], [unseen]] = [(folder / name).glob("*.csv") for name in ["attacked", "unseen"]]
    assert unseen.read_text().startswith(seen.read_text())  # it has a row at its end


def follow(folder):
    run = Run(folder, "view", "watched", "--live")
    viewer = Viewer(run)
    wait_until(lambda: viewer.of("series") and viewer.state, "nothing is told")
    assert viewer.state["status"] == "stopped" and viewer.state["step"] > 0
    assert viewer.of("facts")[0]["fields"][0]["cells"] == [24, 20, 16], viewer.of("facts")[0]["fields"]
    facts, values = run.plane(field=0, axis=0, layer=3)
    assert (facts["width"], facts["height"]) == (20, 16) and len(values) == 320
    run.order("stop")
    wait_until((folder / "watched/STOP").exists, "STOP is not left")
    run.job.terminate()
    assert run.end()[1] == 0


def use_socket(folder):
    run = Run(folder, "run", CASE, "--out", "socket", "--live=./page.sock", "time.end=10", *WORDS)
    path = folder / "page.sock"
    assert path.stat().st_mode & 0o077 == 0
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(str(path))
        door.sendall(f"POST /order?what=stop&token={run.token} HTTP/1.1\r\nHost: localhost\r\n"
                     "Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
        assert b" 204 " in door.recv(4096)
    assert run.end()[1] == 75
    assert not path.exists()


def check_own_program(folder):
    """Any program takes --goban-live; it runs to its end though nobody looks."""
    program = Path(os.environ["GOBAN_BINARY_DIR"]) / "tests/example_diffusion_small"
    for words in [["--goban-live"], ["--goban-live=./own.sock"]]:
        done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0 and "live page: http://" in done.stdout, done.stdout + done.stderr
    wrong = subprocess.run([program, "--goban-live=page"], cwd=folder, capture_output=True, text=True)
    assert wrong.returncode == 2 and "neither a port nor a path" in wrong.stderr, wrong.stderr


def check_refusals(folder):
    for word, reason in [("--live=0", "no such port"), ("--live=70000", "no such port"),
                         ("--live=page", "neither a port nor a path")]:
        tried = subprocess.run([GOBAN, "run", CASE, word, *WORDS], cwd=folder, capture_output=True, text=True)
        assert tried.returncode == 2 and reason in tried.stderr, (tried.returncode, tried.stderr)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        tried = subprocess.run([GOBAN, "run", CASE, f"--live={port}", *WORDS], cwd=folder,
                               capture_output=True, text=True)
        assert tried.returncode == 2 and f"no live page at port {port}" in tried.stderr, tried.stderr


def main():
    if not (Path(os.environ["GOBAN_BINARY_DIR"]) / "lib/goban/libgoban-live.so").exists():
        print("goban is built without cpp-httplib")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        check_refusals(folder)
        check_own_program(folder)
        watch_and_stop(folder)
        compare_bits(folder)
        stand_attacks(folder)
        follow(folder)
        use_socket(folder)


if __name__ == "__main__":
    main()
