#!/usr/bin/env python3
"""Writes what GPUs reached, from the newest records of scripts/gpu_check: tables between two marker
comments of README.md, and docs/pictures/gpu_rates.svg, rate against ceiling.

usage: scripts/gpu_report.py [--root DIR] [--print] [RECORD ...]

Without RECORDs: the newest of benchmarks/records that has rates of one GPU, of a machine with one
where there is such, and the newest that has rates of several. --print writes the tables to standard output and changes no file.
"""

import argparse
import json
import re
import sys
from html import escape
from pathlib import Path

BEGIN = "<!-- GPU rates, written by scripts/gpu_report.py -->"
END = "<!-- end of GPU rates -->"
PICTURE = "docs/pictures/gpu_rates.svg"
RATES, SCHEMES = "goban-gpu-rates", ("goban-gpu-schemes", "schemes")

# Name in the records, in the tables, and of the twin; the order of the tables.
KERNELS = [
    ("heat7_float", "heat, 7 points, float", "heat7 fp32"),
    ("heat7_double", "heat, 7 points, double", "heat7 fp64"),
    ("heat7_half", "heat, 7 points, half stored", None),
    ("heat25_float", "heat, 25 points, float", "heat25 fp32"),
    ("life", "life, bytes", "life"),
    ("gray_scott", "Gray-Scott, two fields, float", None),
    ("d3q19_float", "D3Q19, float", "d3q19 fp32"),
    ("d3q19_float_in_place", "D3Q19, float, in place", None),
    ("d3q19_half", "D3Q19, half stored", "d3q19 fp16"),
    ("d3q19_half_in_place", "D3Q19, half stored, in place", None),
]
TITLES = {name: title for name, title, _ in KERNELS}


def fail(message):
    sys.exit(f"gpu_report: error: {message}")


# ---- Records


def read(path):
    try:
        record = json.loads(path.read_text())
        record["path"] = path
        record["date"], record["machine"]["gpu"], record["results"]
        return record
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail(f"{path} is no record of scripts/gpu_check ({error})")


def is_of_gpu_check(path):
    """Other records lie beside them."""
    try:
        return "results" in json.loads(path.read_text())
    except ValueError:
        return True  # read() says what is wrong


def rates_of(record):
    return with_shares(
        [r for r in record["results"] if r.get("program") == RATES and "updates_per_second" in r])


def with_shares(rates):
    """Their shares of the fastest copy of the run: single measurements of it vary by a tenth."""
    copy = max((r["copy_bandwidth"] for r in rates), default=1)
    for r in rates:
        r["share_of_copy"] = r["updates_per_second"] * r["bytes_per_update"] / (copy * r["gpus"])
    return rates


def is_single(rate):
    return rate["gpus"] == 1 and rate["scaling"] == "none"


def newest_with(records, wanted):
    fitting = [r for r in records if any(wanted(rate) for rate in rates_of(r))]
    return max(fitting, key=lambda r: r["date"], default=None)


def best_twin(record, name, cells):
    """GLUP/s of the fastest one-sweep twin on two arrays whose bits are right; None without one."""
    rates = [s["glups"] for s in record["results"]
             if s.get("program") in SCHEMES and s.get("name") == name and s.get("bits_ok")
             and s.get("size") == "x".join(map(str, cells)) and "in place" not in s["variant"]]
    return max(rates, default=0) or None


def single_rows(record):
    """One for every kernel and size: sweeps, passes (or None) and twin's rate (or None)."""
    rows = []
    for name, _, twin in KERNELS:
        rates = [r for r in rates_of(record)
                 if is_single(r) and r["name"] == name and r["boundary"] == "constant"]
        for cells in sorted({tuple(r["cells"]) for r in rates}):
            here = {r["mode"]: r for r in rates if tuple(r["cells"]) == cells}
            if "sweeps" in here:
                passes = here.get("open")
                if passes and passes["steps_per_pass"] == 1:
                    passes = None  # single sweeps were faster
                rows.append((name, cells, here["sweeps"], passes, best_twin(record, twin, cells)))
    return rows


def scaling_rows(record):
    """(title, {gpus: best rate}) of sweeps and of what goban chooses."""
    groups = {}
    for r in rates_of(record):
        if r["scaling"] == "none":
            continue
        x, y, z = r["cells"]
        edge = (x, y, z // r["gpus"]) if r["scaling"] == "weak" else (x, y, z)
        key = (r["scaling"] == "strong", -x, r["name"], edge, r["mode"])
        best = groups.setdefault(key, {})
        if r["gpus"] not in best or r["updates_per_second"] > best[r["gpus"]]["updates_per_second"]:
            best[r["gpus"]] = r
    return [(key, groups[key]) for key in sorted(groups) if 1 in groups[key] and len(groups[key]) > 1]


# ---- Tables


def cells_text(cells):
    return f"{cells[0]}^3" if len(set(cells)) == 1 else "x".join(map(str, cells))


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def glups(rate):
    return rate["updates_per_second"] / 1e9


def source_of(record, root):
    path = record["path"].resolve()
    name = path.relative_to(root) if path.is_relative_to(root) else path.name
    link = f"[{path.name}]({name})" if path.is_relative_to(root) else path.name
    return f"{record['date'][:10]}, commit {record['commit'][:12]}, {link}"


def single_table(record, root):
    rows = single_rows(record)
    if not rows:
        return ""
    copies = [r["copy_bandwidth"] / 1e9 for r in rates_of(record) if is_single(r)]
    copy = " to ".join(dict.fromkeys(f"{c:.0f}" for c in (min(copies), max(copies))))
    lines = [
        f"One {record['machine']['gpu']}, device memcpy {copy} GB/s in the same run, constant "
        f"boundaries ({source_of(record, root)}):",
        "",
        "| kernel | cells | one sweep, GLUP/s | share of copy | of hand-written twin "
        "| passes, GLUP/s | share of copy |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, cells, sweep, passes, twin in rows:
        columns = [TITLES[name], cells_text(cells), number(glups(sweep)),
                   f"{sweep['share_of_copy']:.2f}", f"{glups(sweep) / twin:.3f}" if twin else ""]
        columns += ([f"{number(glups(passes))} (T = {passes['steps_per_pass']})",
                     f"{passes['share_of_copy']:.2f}"] if passes else ["", ""])
        lines.append("| " + " | ".join(columns) + " |")
    return "\n".join(lines)


def scaling_table(record, root):
    rows = scaling_rows(record)
    if not rows:
        return ""
    counts = sorted({n for _, best in rows for n in best})
    plural = [f"{n} GPU" + ("s" if n > 1 else "") for n in counts]
    lines = [
        f"Several {record['machine']['gpu']} in one process, GLUP/s and share of as many times one "
        f"GPU's rate, the best overlap of each ({source_of(record, root)}):",
        "",
        "| kernel | cells | steps | " + " | ".join(plural) + " |",
        "| --- | --- | --- |" + " --- |" * len(counts),
    ]
    for (is_strong, _, name, cells, mode), best in rows:
        columns = [TITLES.get(name, name),
                   cells_text(cells) + (" in all" if is_strong else " per GPU"),
                   "sweeps" if mode == "sweeps" else "as goban chooses"]
        for n in counts:
            if n not in best:
                columns.append("")
                continue
            share = glups(best[n]) / (n * glups(best[1]))
            columns.append(number(glups(best[n])) + (f" ({share:.3f})" if n > 1 else ""))
        lines.append("| " + " | ".join(columns) + " |")
    return "\n".join(lines)


# ---- The picture


def picture(record):
    """Bars from the left: one sweep, passes; the line is what the copy of as many bytes allows."""
    rows = single_rows(record)
    largest = {name: cells for name, cells, *_ in rows}
    rows = [row for row in rows if row[1] == largest[row[0]]]
    left, width, top, step, height = 230, 520, 58, 46, 15
    shares = [r["share_of_copy"] for _, _, *both, _ in rows for r in both if r]
    most = max(1.1, max(shares) * 1.02)
    bottom = top + step * len(rows)
    total_width = left + width + 150

    def x(share):
        return left + width * share / most

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_width} {bottom + 44}" '
        f'width="{total_width}" height="{bottom + 44}" font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="20" y="20" font-size="15">One {escape(record["machine"]["gpu"])}: updates per '
        "second as a share of what the copy of as many bytes allows</text>",
    ]
    for color, text, at in (("#2a6fbb", "one sweep", left), ("#e08a1e", "several steps a pass", left + 110)):
        out.append(f'<rect x="{at}" y="32" width="12" height="12" fill="{color}"/>'
                   f'<text x="{at + 17}" y="43">{text}</text>')
    for n in range(int(most * 4) + 1):
        at = x(n / 4)
        out.append(f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{bottom}" stroke="#ddd"/>'
                   f'<text x="{at:.1f}" y="{bottom + 17}" text-anchor="middle">{n / 4:g}</text>')
    for n, (name, cells, sweep, passes, _) in enumerate(rows):
        y = top + step * n + 6
        out.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{escape(TITLES[name])}</text>'
                   f'<text x="{left - 8}" y="{y + 29}" text-anchor="end" fill="#777" font-size="11">'
                   f"{cells_text(cells)}</text>")
        ceiling = glups(sweep) / sweep["share_of_copy"]
        for m, (rate, color) in enumerate(((sweep, "#2a6fbb"), (passes, "#e08a1e"))):
            if rate is None:
                continue
            end, at = x(rate["share_of_copy"]), y + m * (height + 2)
            of, steps = ((f" of {number(ceiling)}", "") if m == 0 else
                         ("", f", T = {rate['steps_per_pass']}"))
            out.append(f'<rect x="{left}" y="{at}" width="{end - left:.1f}" height="{height}" '
                       f'fill="{color}"/><text x="{max(end, x(1)) + 5:.1f}" y="{at + 12}" '
                       f'font-size="12">{number(glups(rate))}{of} GLUP/s{steps}</text>')
    out += [f'<line x1="{x(1):.1f}" y1="{top - 4}" x2="{x(1):.1f}" y2="{bottom}" stroke="black" '
            'stroke-width="1.5"/>',
            f'<text x="{x(1):.1f}" y="{bottom + 35}" text-anchor="middle">the copy\'s speed</text>',
            "</svg>"]
    return "\n".join(out) + "\n"


# ---- The program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("records", nargs="*", type=Path, metavar="RECORD")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--print", action="store_true", dest="is_printed")
    options = parser.parse_args()
    root = options.root.resolve()
    paths = options.records or filter(is_of_gpu_check, sorted((root / "benchmarks/records").glob("*.json")))
    records = [read(path) for path in paths]
    alone = [r for r in records if r["machine"].get("gpus", 1) == 1]
    single = newest_with(alone, is_single) or newest_with(records, is_single)
    several = newest_with(records, lambda rate: rate["gpus"] > 1)
    if single is None:
        fail("no record has rates of one GPU: run scripts/gpu_check on a GPU machine")

    tables = single_table(single, root)
    if not tables:
        fail(f"{single['path']} has no sweeps with constant boundaries")
    scaling = scaling_table(several, root) if several else ""
    if options.is_printed:
        print("\n\n".join(filter(None, [tables, scaling])))
        return
    readme = root / "README.md"
    text = readme.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        fail(f"{readme} lacks the lines {BEGIN} and {END}")
    (root / PICTURE).parent.mkdir(parents=True, exist_ok=True)
    (root / PICTURE).write_text(picture(single))
    image = f"![Rate of every kernel against the speed of the copy]({PICTURE})"
    section = "\n\n".join(filter(None, [BEGIN, image, tables, scaling, END]))
    readme.write_text(re.sub(re.escape(BEGIN) + ".*" + re.escape(END), lambda _: section, text,
                             flags=re.DOTALL))
    print(f"gpu_report: wrote {readme} and {root / PICTURE}")


if __name__ == "__main__":
    main()
