"""Plots as SVG, without a library."""

from xml.sax.saxutils import escape

WIDTH, LABEL, ROW, TOP = 900, 220, 26, 44


def bars(title, rows):
    """A bar for each row (name, lower quartile, median, upper quartile), as long as the median; a line joins the quartiles."""
    scale = (WIDTH - LABEL - 90) / max(row[3] for row in rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{TOP + ROW * len(rows) + 12}" '
        'font-family="sans-serif" font-size="13">',
        f'<text x="12" y="24" font-size="15">{escape(title)}</text>',
    ]
    for number, (name, low, middle, high) in enumerate(rows):
        top = TOP + ROW * number
        middle_line = top + ROW / 2 - 3
        lines += [
            f'<text x="{LABEL - 8}" y="{top + 14}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{LABEL}" y="{top}" width="{middle * scale:.1f}" height="{ROW - 6}" fill="#7a9cc6"/>',
            f'<line x1="{LABEL + low * scale:.1f}" x2="{LABEL + high * scale:.1f}" y1="{middle_line}" y2="{middle_line}" '
            'stroke="#222" stroke-width="2"/>',
            f'<text x="{LABEL + high * scale + 8:.1f}" y="{top + 14}">{middle:.1f}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])
