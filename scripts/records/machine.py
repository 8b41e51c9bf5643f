"""What a record says of the machine it was made on."""

import os
import re
import subprocess
import sys
from pathlib import Path


def output_of(*command):
    """Empty if it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine_of(devices):
    """Its record, and the word for it in a record's name."""
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    machine = {"processor": processor[1] if processor else "unknown", "cores": os.cpu_count()}
    if not devices.startswith("cuda"):
        return machine, f"cpu{os.cpu_count()}"
    names = output_of("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines()
    if not names:
        sys.exit(f"{Path(sys.argv[0]).stem}: error: no GPU answers (nvidia-smi)")
    driver = output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    machine.update(gpu=names[0], gpus=len(names), driver=driver.splitlines()[0])
    word = re.sub(r"[^a-z0-9]+", "-", names[0].lower().replace("nvidia", "")).strip("-")
    return machine, word + (f"x{len(names)}" if len(names) > 1 else "")
