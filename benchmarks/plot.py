"""Lines in a self-contained SVG that reads well on light and on dark pages."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDTH, HEIGHT = 760, 380
LEFT, RIGHT, TOP, BOTTOM = 60, 230, 40, 46
LABEL_GAP: Final = 16
# After Okabe and Ito, whose colours the colour-blind tell apart.
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#888")
STYLE: Final = """
svg { font: 12px system-ui, sans-serif; fill: #333; background: #fff }
.grid { stroke: #ddd } .line { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  svg { fill: #ddd; background: #15181c } .grid { stroke: #3a3f45 }
}
"""
UNITS: Final = {"k": 1_000, "M": 1_000_000}


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    title: str,
    x: str,
    y: str,
    is_log: bool = False,
) -> str:
    """Return the drawing of a line per series, ``x`` and ``y`` naming the axes.

    With ``is_log`` both axes are logarithmic and all values must be above 0.
    """
    points = [point for line in series.values() for point in line]
    across = _Axis([point[0] for point in points], LEFT, WIDTH - RIGHT, is_log=is_log)
    up = _Axis([point[1] for point in points], HEIGHT - BOTTOM, TOP, is_log=is_log)
    parts = [f'<text x="{LEFT}" y="20" font-weight="600">{escape(title)}</text>']
    for value in up.ticks:
        at = up.place(value)
        parts += [
            f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>',
            _text(LEFT - 6, at + 4, _short(value), anchor="end"),
        ]
    parts += [
        _text(across.place(value), HEIGHT - BOTTOM + 18, _short(value), anchor="middle")
        for value in across.ticks
    ]
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x, anchor="middle"))
    parts.append(_text(8, TOP - 6, y))
    lowest = float(HEIGHT - BOTTOM)
    drawn = sorted(enumerate(series.items()), key=lambda item: item[1][1][-1][1])
    for index, (name, line) in drawn:
        colour = COLOURS[index % len(COLOURS)]
        path = "L".join(f"{across.place(a):.1f} {up.place(b):.1f}" for a, b in line)
        end = min(up.place(line[-1][1]) + 4, lowest)
        lowest = end - LABEL_GAP
        parts += [
            f'<path class="line" stroke="{colour}" d="M{path}"/>',
            f'<circle cx="{WIDTH - RIGHT + 14}" cy="{end - 4:.1f}" r="4" fill="{colour}"/>',
            _text(WIDTH - RIGHT + 24, end, name),
        ]
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    body = "\n".join(parts)
    return (
        f"{head}\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n{body}\n</svg>\n"
    )


class _Axis:
    """Places of values between two coordinates; a linear axis begins at zero."""

    def __init__(
        self, values: Sequence[float], first: float, last: float, *, is_log: bool
    ) -> None:
        self._first, self._last, self._is_log = first, last, is_log
        if is_log:
            self._low = 10.0 ** math.floor(math.log10(min(values)))
            high = max(math.ceil(math.log10(max(values) / self._low) - 1e-9), 1)
            self.ticks = [self._low * 10**power for power in range(high + 1)]
        else:
            self._low = 0.0
            step = 10 ** math.floor(math.log10(max(values) or 1))
            step = step / 2 if max(values) < 3 * step else step
            self.ticks = [
                step * index for index in range(math.ceil(max(values) / step) + 1)
            ]

    def place(self, value: float) -> float:
        """Return the coordinate of a value."""
        high = self.ticks[-1]
        if self._is_log:
            share = math.log(value / self._low) / math.log(high / self._low)
        else:
            share = value / high
        return self._first + share * (self._last - self._first)


def _text(x: float, y: float, words: str, *, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _short(value: float) -> str:
    for unit, size in reversed(UNITS.items()):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"
