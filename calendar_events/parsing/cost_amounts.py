"""Read a list or range of amounts of money: ``amounts_in``. Pure.

Which currency a sign or code means is read from the CLDR data of Babel. Used by ``costs``
alone.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Literal

from babel import Locale
from babel.core import UnknownLocaleError
from babel.languages import get_official_languages
from babel.numbers import get_currency_symbol, list_currencies

Position = Literal["prefix", "postfix", ""]

# Signs that are written at home, where CLDR's English has only the code: the currency
# and a locale that uses the sign. A table of few, since asking every locale takes a second.
_AT_HOME = (
    ("CZK", "cs"),
    ("GEL", "ka"),
    ("HUF", "hu"),
    ("KZT", "kk"),
    ("NGN", "ha"),
    ("PLN", "pl"),
    ("RUB", "ru"),
    ("SEK", "sv"),
    ("THB", "th"),
    ("TRY", "tr"),
    ("UAH", "uk"),
    ("USD", "en_CA"),
)


@cache
def known_marks() -> dict[str, str]:
    """Return the ISO 4217 code for each sign and code that is understood."""
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


def code_for(mark: str, *, site: str) -> str:
    """Return the code that a sign or code means to somebody in the ``site`` currency."""
    return site if mark == symbol(site) else known_marks()[mark]


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One amount of money, as it was written."""

    number: Decimal
    digits: str
    """The number as it was written, with its separators; empty for the word "free"."""
    mark: str = ""
    """The sign or code of the currency as it was written."""
    position: Position = ""
    gap: str = ""
    """What stood between the number and the mark."""

    def __str__(self) -> str:
        if not self.number:
            return "Free"
        sign = "-" if self.number < 0 else ""
        if self.position == "postfix":
            return f"{sign}{self.digits}{self.gap}{self.mark}"
        return f"{sign}{self.mark}{self.gap}{self.digits}"

    @property
    def value(self) -> str:
        """The bare number, with a point for its decimals."""
        return f"{self.number:f}"


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
    marks = sorted(known_marks(), key=len, reverse=True)
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


def amounts_in(written: str) -> list[Amount]:
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
        return Amount(number=Decimal(0), digits="")
    number = _number(match["number"])
    position: Position = "prefix" if match["prefix"] else "postfix"
    mark = match["prefix"] or match["postfix"] or ""
    return Amount(
        number=-number if number and (match["minus"] or match["inner"]) else number,
        digits=match["number"],
        mark=mark,
        position=position if mark else "",
        gap=match["gap"] or match["after"] or "",
    )


def _number(digits: str) -> Decimal:
    if grouped := re.fullmatch(_GROUPED, digits, re.VERBOSE):
        digits = digits.replace(grouped["mark"], "")
    return Decimal(digits.replace(",", "."))
