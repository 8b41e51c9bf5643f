"""Texts of tables: numbers, cells, links."""

import os


class Problem(Exception):
    """What is wrong, in one line."""


class Page:
    """The document that a table stands in: where links start."""

    def __init__(self, root, document):
        self.root, self.folder = root, document.parent

    def path_to(self, file):
        return os.path.relpath(file, self.folder)

    def link(self, record):
        return f"[{record['path'].name}]({self.path_to(record['path'])})"

    def source(self, record):
        return f"{record['date'][:10]}, commit {record['commit'][:12]}, {self.link(record)}"


KERNELS = {  # names in records and in tables; the order of the tables
    "heat7_float": "heat, 7 points, float",
    "heat7_double": "heat, 7 points, double",
    "heat7_half": "heat, 7 points, half stored",
    "heat25_float": "heat, 25 points, float",
    "heat2": "heat, order 2",
    "heat4": "heat, order 4",
    "heat6": "heat, order 6",
    "heat8": "heat, order 8",
    "life": "life, bytes",
    "gray_scott": "Gray-Scott, two fields, float",
    "seismic_float": "elastic waves, float",
    "systems_float": "tridiagonal systems, float",
    "heat_columns_float": "heat, implicit in columns, float",
    "d3q19": "D3Q19, float",
    "d3q19_float": "D3Q19, float",
    "d3q19_float_in_place": "D3Q19, float, in place",
    "d3q19_half": "D3Q19, half stored",
    "d3q19_half_in_place": "D3Q19, half stored, in place",
    "list_float": "D3Q19 on a list of all cells, float",
    "list_double": "D3Q19 on a list of all cells, double",
    "list_pipes_float": "D3Q19 on a list, pipes of diameter 32, float",
    "list_pipes_double": "D3Q19 on a list, pipes of diameter 32, double",
}
ORDER = list(KERNELS)


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def cells_text(cells):
    if len(set(cells)) == 1:
        return f"{cells[0]}^3"
    flat = [n for n in cells if n > 1]
    return f"{flat[0]}^2" if len(flat) == 2 and flat[0] == flat[1] else "x".join(map(str, flat))


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def counted(n, word):
    return f"{n} {word}" + ("" if n == 1 else "es" if word.endswith("s") else "s")


def billions(value):
    """As 25.6e9: a rate whose unit is one a second."""
    return (f"{value / 1e9:.0f}" if value >= 1e11 else f"{value / 1e9:.3g}") + "e9"


def device_of(record):
    return record["machine"].get("gpu", "device")


def newest_with(records, rows_in, what):
    """The newest record of which rows_in(record) is not empty, and that."""
    for record in records:
        rows = rows_in(record)
        if rows:
            return record, rows
    raise Problem(f"no record named there has {what}")
