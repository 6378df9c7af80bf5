"""Read what an event costs from what people write.

The shape is that of contract events 2.1; separators, symbols, codes and negative amounts
are read right (decisions 7). The grammar is our own because Babel's number parser needs the
locale, and a cost does not say where it was written; names and signs of currencies are
CLDR's, from Babel. Pure.
"""

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Literal

from babel import Locale
from babel.core import UnknownLocaleError
from babel.languages import get_official_languages
from babel.numbers import get_currency_symbol, list_currencies

from calendar_events.parsing import text

MAX_LENGTH = 255
# Markup may be long, the text may not.
_MAX_MARKUP = 20 * MAX_LENGTH
Position = Literal["prefix", "postfix", ""]

# Signs that are written at home, where CLDR's English has only the code: the currency
# and a locale that uses the sign. Asking every locale would take a second.
_AT_HOME = (
    ("CZK", "cs"), ("GEL", "ka"), ("HUF", "hu"), ("KZT", "kk"), ("NGN", "ha"),
    ("PLN", "pl"), ("RUB", "ru"), ("SEK", "sv"), ("THB", "th"), ("TRY", "tr"),
    ("UAH", "uk"), ("USD", "en_CA"),
)  # fmt: skip


class CostError(ValueError):
    """The value is no cost; the message says why, for people."""

    def __init__(
        self, reason: str = f"A cost has at most {MAX_LENGTH} characters."
    ) -> None:
        super().__init__(reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """A cost as it is answered: the text, its currency, and the numbers, ascending."""

    text: str = ""
    symbol: str = ""
    code: str = ""
    position: Position = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One amount of money, as it was written."""

    number: Decimal = Decimal(0)
    digits: str = ""
    """The number with its separators; empty for the word "free"."""
    mark: str = ""
    """The sign or code of the currency."""
    position: Position = ""
    gap: str = ""
    """The text between the number and the mark."""

    def __str__(self) -> str:
        if not self.number:
            return "Free"
        sign = "-" if self.number < 0 else ""
        if self.position == "postfix":
            return f"{sign}{self.digits}{self.gap}{self.mark}"
        return f"{sign}{self.mark}{self.gap}{self.digits}"


def parse(value: object, *, currency: str) -> Cost:
    """Read a cost: a text, a number, or a list of them, which is a range.

    An amount without a sign of its own is in ``currency``, the site's ISO 4217 code.
    Nothing, ``""`` and ``0`` are no cost. The text of a cost reads as that text again.

    Raises ``CostError``.
    """
    cost = read(source(value), currency=currency)
    if len(cost.text) > MAX_LENGTH:
        raise CostError
    return cost


def source(value: object) -> str:
    """Return the text to keep of a cost: a text, a number, or a list of them.

    It keeps every item, where ``Cost.text`` of a list shows only its range:
    ``parse(source(value))`` is ``parse(value)``.

    Raises ``CostError``.
    """
    items = value if isinstance(value, list | tuple) else [value]
    length = sum(len(item) for item in items if isinstance(item, str))
    if len(items) > MAX_LENGTH or length > _MAX_MARKUP:
        raise CostError
    written = ", ".join(filter(None, map(_item, items)))
    if len(written) > MAX_LENGTH:
        raise CostError
    return written


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


def read(written: str, *, currency: str) -> Cost:
    """Read the text that ``source`` returned."""
    if written in {"", "0"}:
        return Cost()
    amounts = _amounts(written)
    if any(amount.digits for amount in amounts):
        return _priced(amounts, written=written, site=currency)
    # Words are their own values. Prose with numbers has none.
    words = [] if re.search(r"[0-9]", written) else written.lower().split(",")
    return Cost(text=written, values=tuple(filter(None, map(str.strip, words))))


def _priced(amounts: list[Amount], *, written: str, site: str) -> Cost:
    """Return the cost of amounts of money: their range and their currency.

    Amounts without a sign take that of the first one with a sign. Of several currencies
    there is no range: the text stays as written, the details are those of the first.
    """
    home = symbol(site)
    default = Amount(mark=home, position="prefix", gap=" " if home[-1].isalpha() else "")
    style = next((amount for amount in amounts if amount.mark), default)
    styled = [
        amount
        if amount.mark
        else replace(amount, mark=style.mark, position=style.position, gap=style.gap)
        for amount in amounts
    ]
    by_number = {amount.number: amount for amount in styled}
    ordered = [by_number[number] for number in sorted(by_number)]
    limits = ordered if len(ordered) == 1 else (ordered[0], ordered[-1])
    spoken = " \N{EN DASH} ".join(map(str, limits))
    codes = {_code(amount.mark, site=site) for amount in styled}
    code = _code(style.mark, site=site)
    return Cost(
        text=spoken if len(codes) == 1 else written,
        symbol=symbol(code) if style.mark == code else style.mark,
        code=code,
        position=style.position,
        values=tuple(f"{amount.number:f}" for amount in ordered),
    )


@cache
def currencies() -> dict[str, str]:
    english = Locale("en", "US").currency_symbols
    codes = {code: code for code in list_currencies("en_US") if code != "XXX"}
    codes.update({sign: code for code, sign in english.items() if code in codes})
    for code, locale in _AT_HOME:
        codes.setdefault(get_currency_symbol(code, locale=locale), code)
    return codes


@cache
def symbol(code: str) -> str:
    """Return the sign for ``code`` as its own country writes it, else the code.

    A Canadian writes ``$``, where CLDR's English for Americans has ``CA$``.
    """
    english = get_currency_symbol(code, locale="en_US")
    territory = code[:2]  # ISO 4217: the country, then a letter for its currency
    if len(english) > 1:
        for language in get_official_languages(territory):
            with suppress(UnknownLocaleError):
                at_home = get_currency_symbol(code, locale=f"{language}_{territory}")
                return at_home.rstrip(".")
    return english


def _code(mark: str, *, site: str) -> str:
    return site if mark == symbol(site) else currencies()[mark]


# Grouped thousands come first: "1,234" and "1.234" are both a thousand and more, since
# prices have no third decimal. What parts the groups cannot part the decimals too, and
# "10,20,30" is a list.
_GROUPED = r"""
    [1-9][0-9]{0,2} (?P<mark>[.,'\u2019\u00a0\u202f\ ]) [0-9]{3} (?: (?P=mark) [0-9]{3} )*
    (?! [0-9] | (?P=mark)[0-9] ) (?: (?!(?P=mark)) [.,] [0-9]{1,2} (?![0-9]) )?
"""
_NUMBER = rf"""
    {_GROUPED}
  | (?<! [0-9], ) [0-9]++ , [0-9]{{1,2}} (?! [0-9] | ,[0-9] )
  | (?<! [0-9]\. ) [0-9]++ \. [0-9]++ (?! \.[0-9] )
  | [0-9]++
"""
_LETTER = r"[^\W\d_]"
_DASH = r"[\-\u2010-\u2015\u2212]"
# At most one sign or word parts two amounts; "10€20€" needs none.
_BETWEEN = re.compile(rf"\s?(?:[,;/|&]|{_DASH}|(?i:and|or|to))?\s?")


@cache
def _amount() -> re.Pattern[str]:
    """Return the pattern of an amount: the word "free", or a number with its mark."""
    marks = sorted(currencies(), key=len, reverse=True)
    codes = "|".join(mark for mark in marks if mark.isalpha())
    signs = "|".join(re.escape(mark) for mark in marks if not mark.isalpha())
    mark = rf"(?: {signs} | (?<!{_LETTER}) (?:{codes}) (?!{_LETTER}) )"
    return re.compile(
        rf"""
        (?P<free> (?i:free) (?!{_LETTER}) )
      | (?P<minus>{_DASH})?
        (?: (?P<prefix>{mark}) (?: (?P<inner>{_DASH}) | (?P<gap>\s?) ) )?
        (?P<number>{_NUMBER})
        (?(prefix) | (?: (?! \s {mark} [0-9] ) (?P<after>\s?) (?P<postfix>{mark}) )? )
        """,
        re.VERBOSE,
    )


def _amounts(written: str) -> list[Amount]:
    """Return the amounts of a list or range; none when the text says anything else."""
    amounts: list[Amount] = []
    written, at = written.rstrip(" ,;/|&-\N{EN DASH}"), 0  # 25,- is 25
    while at < len(written):
        between = _BETWEEN.match(written, at) if amounts else None
        match = _amount().match(written, between.end() if between else at)
        if match is None:
            return []
        amounts.append(_read(match))
        at = match.end()
    return amounts


def _read(match: re.Match[str]) -> Amount:
    if match["free"]:
        return Amount()
    bare = match["number"]
    if grouped := re.fullmatch(_GROUPED, bare, re.VERBOSE):
        bare = bare.replace(grouped["mark"], "")
    number = Decimal(bare.replace(",", "."))
    mark = match["prefix"] or match["postfix"] or ""
    return Amount(
        number=-number if number and (match["minus"] or match["inner"]) else number,
        digits=match["number"],
        mark=mark,
        position="" if not mark else "prefix" if match["prefix"] else "postfix",
        gap=match["gap"] or match["after"] or "",
    )
