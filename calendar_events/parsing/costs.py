"""Read what an event costs from what people write.

The shape is that of contract events 2.1; separators, symbols, codes and
negative amounts are read right (decisions 7). The grammar is our own because
Babel's number parser wants to be told the locale, and a cost does not say where it was
written; names and signs of currencies are Babel's. Pure.
"""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from calendar_events.parsing import text
from calendar_events.parsing.cost_amounts import (
    Amount,
    Position,
    amounts_in,
    code_for,
    symbol,
)

MAX_LENGTH = 255
# Markup may be long, the text may not; and what stays of each item is not nothing.
_MAX_GIVEN = 20 * MAX_LENGTH
_TOO_LONG = f"A cost has at most {MAX_LENGTH} characters."


class CostError(ValueError):
    """The value is no cost; the message says why, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """A cost as it is answered: the text, its currency, and the numbers, ascending."""

    text: str = ""
    symbol: str = ""
    code: str = ""
    position: Position = ""
    values: tuple[str, ...] = ()


def source(value: object) -> str:
    """Return the text to keep of a cost: a text, a number, or a list of them.

    It says all that was given, where ``Cost.text`` of a list shows only its range:
    ``parse(source(value))`` is ``parse(value)``.

    Raises ``CostError``.
    """
    given = value if isinstance(value, list | tuple) else [value]
    if len(given) > MAX_LENGTH:
        raise CostError(_TOO_LONG)
    if sum(len(item) for item in given if isinstance(item, str)) > _MAX_GIVEN:
        raise CostError(_TOO_LONG)
    written = ", ".join(item for item in map(_item, given) if item)
    if len(written) > MAX_LENGTH:
        raise CostError(_TOO_LONG)
    return written


def parse(value: object, *, currency: str) -> Cost:
    """Read a cost: a text, a number, or a list of them, which is a range.

    An amount without a sign of its own is in ``currency``, the site's ISO 4217 code.
    Nothing, ``""`` and ``0`` are no cost. The text of a cost reads as that text again.

    Raises ``CostError``.
    """
    cost = read(source(value), currency=currency)
    if len(cost.text) > MAX_LENGTH:
        raise CostError(_TOO_LONG)
    return cost


def read(written: str, *, currency: str) -> Cost:
    """Read the text that ``source`` returned."""
    if written in {"", "0"}:
        return Cost()
    amounts = amounts_in(written)
    if any(amount.digits for amount in amounts):
        return _priced(amounts, written=written, site=currency)
    # Words are their own values; what else numbers among words mean, nobody knows.
    words = [] if re.search(r"[0-9]", written) else written.lower().split(",")
    return Cost(text=written, values=tuple(filter(None, map(str.strip, words))))


def _item(value: object) -> str:
    """Return one value as text. A number has a point and no grouping."""
    if value is None:
        return ""
    if isinstance(value, str):
        return text.plain(value)
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        number = Decimal(str(value))
        if number.is_finite():
            plain = f"{number:f}"
            if "." in plain:
                plain = plain.rstrip("0").rstrip(".")
            # Three decimals would be read as thousands; a fourth tells them apart.
            return f"{plain}0" if re.search(r"\.[0-9]{3}$", plain) else plain
    raise CostError("A cost is a text, a number or a list of them.")


def _priced(amounts: list[Amount], *, written: str, site: str) -> Cost:
    """Return the cost of amounts of money: their range and their currency.

    Amounts without a sign take that of the first one with a sign. Of several currencies
    there is no range: the text stays as written, the details are those of the first.
    """
    style = next((amount for amount in amounts if amount.mark), _site_style(site))
    styled = [
        amount
        if amount.mark
        else replace(amount, mark=style.mark, position=style.position, gap=style.gap)
        for amount in amounts
    ]
    codes = {code_for(amount.mark, site=site) for amount in styled}
    ordered = sorted(
        {amount.number: amount for amount in styled}.values(), key=lambda one: one.number
    )
    least, most = str(ordered[0]), str(ordered[-1])
    spoken = least if len(ordered) == 1 else f"{least} \N{EN DASH} {most}"
    code = code_for(style.mark, site=site)
    return Cost(
        text=spoken if len(codes) == 1 else written,
        symbol=symbol(code) if style.mark == code else style.mark,
        code=code,
        position=style.position,
        values=tuple(amount.value for amount in ordered),
    )


def _site_style(site: str) -> Amount:
    """Return how an amount without a sign is shown: ``$25``, but ``CHF 25``."""
    mark = symbol(site)
    gap = " " if mark[-1].isalpha() else ""
    return Amount(number=Decimal(0), digits="", mark=mark, position="prefix", gap=gap)
