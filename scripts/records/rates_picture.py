"""The picture of what one GPU reaches: rates against the speed of the copy."""

from html import escape

from records.rates import glups, single_rows
from records.text import KERNELS, cells_text, device_of, newest_with, number

FILE = "docs/pictures/gpu_rates.svg"


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
        f'<text x="20" y="20" font-size="15">One {escape(device_of(record))}: updates per '
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
        out.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{escape(KERNELS[name])}</text>'
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


def rates_picture(records, options, page):
    record, _ = newest_with(records, single_rows, "rates of one GPU")
    path = page.root / FILE
    text = f"![Rate of every kernel against the speed of the copy]({page.path_to(path)})"
    return text, {path: picture(record)}
