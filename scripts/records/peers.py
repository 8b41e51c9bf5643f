"""The same steps in goban and in other libraries: what scripts/beside_peers.py has measured."""

from records.layout import rows_of
from records.text import Problem, cells_text, device_of, table


def rate(value):
    """In 1e9 a second."""
    return f"{value / 1e9:.3g}" if value < 1e11 else f"{value / 1e9:.0f}"


def seconds(row, key):
    return f"{row[key]:.1f}" if key in row else ""


def difference(row):
    return "same bits" if row.get("same_bits") else f"{row['difference']:.0e}" if "difference" in row else ""


def lines_of_step(rows):
    """The fastest first."""
    rows = sorted(rows, key=lambda row: -row["updates_per_second"])
    goban = next((row["updates_per_second"] for row in rows if row["peer"] == "goban"), None)
    for n, row in enumerate(rows):
        is_goban = row["peer"] == "goban"
        name = "**goban**" if is_goban else f"{row['peer']} {row.get('version', '')}".strip()
        share = f"{row['updates_per_second'] / goban:.2f}" if goban and not is_goban else ""
        step = f"`{row['name']}` {cells_text(row['cells'])}" if n == 0 else ""
        yield [step, name, rate(row["updates_per_second"]), share, seconds(row, "first_seconds"),
               seconds(row, "second_seconds"), row.get("lines", ""), difference(row)]


def table_of_device(rows):
    steps = {}
    for row in rows:
        steps.setdefault(row["name"], []).append(row)
    header = ["step", "library", "GLUP/s", "of goban's", "first process, s", "second, s", "lines", "difference"]
    return table(header, [line for members in steps.values() for line in lines_of_step(members)])


def notes(record, device):
    """Of the runs on it: what was not there, and what failed."""
    runs = [run for run in record["runs"] if f"--device {device} " in run["command"] + " "]
    said = [run["note"] for run in runs if "note" in run]
    return said + [f"{row['title']} failed: {row['unreadable']}" for run in runs for row in run.get("rows", [])
                   if row.get("failed")]


def rows_on(record, device):
    """The last of each step and peer."""
    rows = [row for _, row in rows_of(record, "beside-peers") if row["device"] == device]
    return list({(row["name"], row["peer"]): row for row in rows}.values())


def peers(records, options, page):
    """On each device each step, as the newest record of it has it."""
    parts = []
    for device in ("cpu", "cuda"):
        shown = set()
        for record in records:
            rows = [row for row in rows_on(record, device) if row["name"] not in shown]
            if not rows:
                continue
            shown |= {row["name"] for row in rows}
            on = (f"{rows[0]['threads']} cores of an {record['machine']['processor']}" if device == "cpu"
                  else f"One {device_of(record)}")
            said = "; ".join([on, *filter(None, [record.get("note")]), *notes(record, device)])
            parts += [f"{said} ({page.source(record)}):", table_of_device(rows)]
    if not parts:
        raise Problem("no record named there has the same steps in other libraries")
    return "\n\n".join(parts)
