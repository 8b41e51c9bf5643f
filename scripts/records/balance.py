"""How cuts came to rest between devices of different speed."""

from balance_picture import picture
from records.text import Problem, newest_with


def balance_picture(records, options, page):
    """file=PATH, from the root; names=A,B of the pieces, _ for a space."""
    if "file" not in options:
        raise Problem("a balance-picture needs file=PATH")
    record, balances = newest_with(
        records, lambda r: [b for run in r["runs"] for b in run.get("balance", [])], "a balance")
    names = options["names"].replace("_", " ").split(",") if "names" in options else None
    path = page.root / options["file"]
    text = f"![Extents and busy times after every adjustment]({page.path_to(path)})"
    return text, {path: picture(balances[0], names)}
