"""The Graph500 benchmark: rates of searches, and of shortest paths where they were found."""

from records.layout import rows_of
from records.text import Problem, table


def seconds(value):
    return f"{value:.3g} s" if value >= 0.1 else f"{1e3 * value:.3g} ms"


def rate(teps):
    return f"{teps / 1e9:.3g}"


def graph500(records, options, page):
    """Of every scale and kind of device the newest."""
    found = {}
    for record in records:
        for _, row in rows_of(record, "goban-graph500"):
            found.setdefault((row["devices"], row["ranks"], row["scale"]), (record, row))
    if not found:
        raise Problem("no record named there has runs of the benchmark")
    lines = []
    for _, (record, row) in sorted(found.items(), key=lambda item: item[0]):
        paths = f"{seconds(row['path_seconds'])}, {rate(row['path_teps']['mean'])}" if "path_teps" in row else ""
        lines.append([row["devices"].split(", ")[-1], row["scale"], seconds(row["generation_seconds"]),
                      seconds(row["construction_seconds"]), seconds(row["search_seconds"]),
                      rate(row["teps"]["mean"]), rate(row["teps"]["median"]), row["smallest_component"], paths,
                      page.link(record)])
    header = ["", "scale", "generation", "kernel 1", "a search, mean", "GTEPS, harmonic mean", "median",
              "edges of the smallest component", "kernel 3, GTEPS", "record"]
    return table(header, lines)
