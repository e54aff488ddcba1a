"""Line plots as SVG: a few series over a logarithmic axis."""

import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 70, 150, 40, 50
COLOURS = ["#1f5fa8", "#b3541e", "#2e7d32", "#6a3d9a"]


def _x(value, values):
    low, high = math.log10(min(values)), math.log10(max(values))
    return LEFT + (WIDTH - LEFT - RIGHT) * ((math.log10(value) - low) / (high - low) if high > low else 0.5)


def _y(value, most):
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / most


def _text(x, y, text, anchor="middle"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def plot(title, across, up, series):
    """`series`: name to a list of (x, low, middle, high); the band is from low to high. Returns the SVG."""
    values = sorted({point[0] for points in series.values() for point in points})
    most = 1.1 * max(point[3] for points in series.values() for point in points)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(WIDTH / 2, 20, title),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, across),
        _text(10, TOP - 8, up, "start"),
    ]
    for value in values:
        parts.append(_text(_x(value, values), HEIGHT - BOTTOM + 18, f"{value:,}"))
    for step in range(5):
        height = most * step / 4
        parts.append(f'<path d="M{LEFT} {_y(height, most):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(_text(LEFT - 6, _y(height, most) + 4, f"{height:,.0f}", "end"))
    for (name, points), colour in zip(series.items(), COLOURS):
        places = [(_x(x, values), _y(low, most), _y(middle, most), _y(high, most)) for x, low, middle, high in points]
        band = [f"{x:.1f},{low:.1f}" for x, low, _, _ in places] + [f"{x:.1f},{high:.1f}" for x, _, _, high in places[::-1]]
        line = " ".join(f"{x:.1f},{middle:.1f}" for x, _, middle, _ in places)
        parts.append(f'<polygon points="{" ".join(band)}" fill="{colour}" opacity="0.2"/>')
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{middle:.1f}" r="3" fill="{colour}"/>' for x, _, middle, _ in places]
        parts.append(f'<g fill="{colour}">{_text(places[-1][0] + 8, places[-1][2] + 4, name, "start")}</g>')
    return "\n".join([*parts, "</svg>\n"])
