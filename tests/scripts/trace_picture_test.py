"""scripts/trace_picture.py draws the traces that goban writes, and says what is hidden."""

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

SCRIPT = Path(os.environ["GOBAN_SOURCE"]) / "scripts/trace_picture.py"


def bar(row, begin, end, kind, step):
    return {"ph": "X", "name": f"<{kind}>", "cat": kind, "pid": 20, "tid": row, "ts": begin,
            "dur": end - begin, "args": {"step": step}}


def draw(*arguments):
    run = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        names = [{"ph": "M", "name": "process_name", "pid": 20, "tid": row, "args": {"name": "GPU"}}
                 for row in (21, 22)]
        names += [{"ph": "M", "name": "thread_name", "pid": 20, "tid": row, "args": {"name": queue}}
                  for row, queue in ((21, "compute"), (22, "halo"))]
        bars = [bar(21, 0, 60, "sweep", 0), bar(22, 50, 70, "copy", 0), bar(22, 80, 100, "copy", 1),
                bar(21, 75, 100, "sweep", 1)]
        trace.write_text(json.dumps({"traceEvents": names + bars}))

        code, output = draw(trace)
        assert code == 0, output
        text = trace.with_suffix(".svg").read_text()
        xml.etree.ElementTree.fromstring(text)
        assert text.count("<title>") == 4 and "&lt;sweep&gt; (sweep), step 1: 25.0 us" in text, text
        assert "GPU, compute" in text and "busy 85 %" in text and "busy 40 %, hidden 75 %" in text, text

        code, output = draw(trace, "--steps", "1:1", "--out", trace.with_name("one.svg"))
        text = trace.with_name("one.svg").read_text()
        assert code == 0 and text.count("<title>") == 2 and "hidden 100 %" in text, text

        for arguments in (["--steps", "7:9"], ["--steps", "x"]):
            code, output = draw(trace, *arguments)
            assert code == 1 and len(output.splitlines()) == 1, output
        trace.write_text("{}")
        code, output = draw(trace)
        assert code == 1 and "is no trace" in output, output

        if "GOBAN" in os.environ:
            subprocess.run([os.environ["GOBAN"], "run",
                            Path(os.environ["GOBAN_SOURCE"]) / "cases/heat/hotspot.toml",
                            "grid.cells=32,24,16", "--patches", "1,1,2", "--out",
                            Path(folder) / "out", "--trace", trace.with_name("run.json"), "time.end=0.1 ms"],
                           check=True, capture_output=True, text=True)
            code, output = draw(trace.with_name("run.json"))
            assert code == 0, output
            assert "compute" in trace.with_suffix(".svg").read_text()


main()
