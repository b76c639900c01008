"""The growth of an answer's cost as a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from tests.bench.growth import Growth

__all__ = ["growth_picture"]

_WIDTH, _HEIGHT, _LEFT, _TOP = 280, 180, 48, 40
_COLOURS = ("#1f77b4", "#d95f02", "#7f7f7f", "#2ca02c")
_LEGEND_WIDTH = 260
_CHARTS: Sequence[tuple[str, Callable[[Growth], float], float]] = (
    ("Painted after the end, s", lambda row: row.painted_after, 1),
    ("CPU of the page, s", lambda row: row.page_cpu, 0),
    ("CPU of the page per chunk, µs", lambda row: row.us_per_chunk, 0),
    ("Elements in the page", lambda row: row.max_elements, 3_000),
)
"""Each with its aim, which is drawn; 0 for none."""


def growth_picture(rows: Sequence[Growth]) -> str:
    """Draw each cost over the number of chunks, as SVG."""
    width = len(_CHARTS) * (_WIDTH + _LEFT) + 16
    height = _TOP + _HEIGHT + 56
    charts = "".join(
        _chart(rows, title, value, aim, _LEFT + place * (_WIDTH + _LEFT))
        for place, (title, value, aim) in enumerate(_CHARTS)
    )
    legend = "".join(
        f'<circle cx="{_LEFT + 6 + _LEGEND_WIDTH * nth}" cy="{height - 12}" r="4" fill="{colour}"/>'
        f'<text x="{_LEFT + 16 + _LEGEND_WIDTH * nth}" y="{height - 8}">{escape(subject)}</text>'
        for nth, (subject, colour) in enumerate(_coloured(rows))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11">'
        f'<rect width="{width}" height="{height}" fill="#fff"/>{charts}{legend}</svg>\n'
    )


def _coloured(rows: Sequence[Growth]) -> list[tuple[str, str]]:
    subjects = dict.fromkeys(row.subject for row in rows)
    return [(subject, _COLOURS[nth % len(_COLOURS)]) for nth, subject in enumerate(subjects)]


def _chart(
    rows: Sequence[Growth],
    title: str,
    value: Callable[[Growth], float],
    aim: float,
    left: float,
) -> str:
    most = max(aim, *map(value, rows)) or 1.0
    longest = max(row.chunks for row in rows)
    bottom = _TOP + _HEIGHT

    def place(row: Growth) -> tuple[float, float]:
        x = left + (_WIDTH - 16) * row.chunks / longest
        return x, bottom - _HEIGHT * value(row) / most

    parts = [
        f'<text x="{left}" y="{_TOP - 16}" font-weight="bold">{escape(title)}</text>',
        f'<path d="M{left} {_TOP}V{bottom}H{left + _WIDTH - 16}" fill="none" stroke="#999"/>',
        f'<text x="{left - 4}" y="{_TOP + 4}" text-anchor="end">{most:,.3g}</text>'
        if most < 1000
        else f'<text x="{left - 4}" y="{_TOP + 4}" text-anchor="end">{most:,.0f}</text>',
        f'<text x="{left - 4}" y="{bottom + 4}" text-anchor="end">0</text>',
    ]
    if aim:
        y = bottom - _HEIGHT * aim / most
        parts.append(
            f'<path d="M{left} {y:.1f}H{left + _WIDTH - 16}" stroke="#999" stroke-dasharray="4"/>'
            f'<text x="{left + 8}" y="{y - 4:.1f}" fill="#666">aim: {aim:,.0f}</text>'
        )
    for chunks in sorted({row.chunks for row in rows}):
        x = left + (_WIDTH - 16) * chunks / longest
        words = f"{chunks // 1000}k"
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{words}</text>')
    for subject, colour in _coloured(rows):
        spots = [place(row) for row in rows if row.subject == subject]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in spots]
    return "".join(parts)
