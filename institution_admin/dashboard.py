"""The first page of admin: blocks of rows with links, and small charts.

``dashboard_blocks(request)`` of an admin class is called if the user may view its rows. It
takes them from its own ``get_queryset``, so that a block shows nothing that its list would
not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.admin import AdminSite
from django.db.models import QuerySet
from django.http import HttpRequest

MOST = 1_000
"""Rows that are counted; beyond them it is "more than"."""
ROWS = 5
"""Rows that a block shows."""
COLUMN, GAP, HEIGHT = 12, 3, 32
"""Of a chart, in pixels."""


@dataclass(frozen=True, slots=True)
class Column:
    """A day in a chart: how many there were, and where its bar is drawn."""

    name: str
    number: int
    x: int
    y: int
    height: int
    width: int = COLUMN


@dataclass(frozen=True, slots=True)
class Chart:
    """Numbers of consecutive days, oldest first, each with the name of its day."""

    days: Sequence[tuple[str, int]]

    @property
    def words(self) -> str:
        """Say what is drawn, for who does not see it."""
        return ", ".join(f"{name}: {number}" for name, number in self.days)

    @property
    def width(self) -> int:
        """Return the width of the drawing, in pixels."""
        return len(self.days) * (COLUMN + GAP)

    @property
    def height(self) -> int:
        """Return the height of the drawing, in pixels."""
        return HEIGHT

    @property
    def columns(self) -> list[Column]:
        """Return the bars; a day without any has a line."""
        highest = max([number for _, number in self.days], default=0) or 1
        heights = [max(1, round(HEIGHT * number / highest)) for _, number in self.days]
        return [
            Column(name, number, at * (COLUMN + GAP), HEIGHT - height, height)
            for at, ((name, number), height) in enumerate(
                zip(self.days, heights, strict=True)
            )
        ]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a block: what, how many or when, the page about it, its days."""

    text: str
    note: str
    url: str
    chart: Chart | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A question that the first page answers; ``url`` leads to the list of all rows."""

    title: str
    rows: Sequence[Row]
    url: str
    note: str = ""
    chart: Chart | None = None


def capped(rows: QuerySet[Any]) -> str:
    """Return how many rows there are, in words, without reading more than ``MOST``."""
    count = rows.order_by()[: MOST + 1].count()
    return f"more than {MOST:,}" if count > MOST else f"{count:,}"


def blocks(site: AdminSite, request: HttpRequest) -> list[Block]:
    """Return the blocks of the classes whose rows the user may view."""
    return [
        block
        for model_admin in site._registry.values()  # noqa: SLF001 -- as Django's own index
        if hasattr(model_admin, "dashboard_blocks")
        and model_admin.has_view_permission(request)
        for block in model_admin.dashboard_blocks(request)
    ]
