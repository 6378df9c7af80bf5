"""Find the amounts of money in what people write: ``amounts_in``. Pure.

The text is cut into tokens, then each number takes the sign or code beside it. Which
currency a sign or code means is read from the CLDR data of Babel. Used by ``costs`` alone.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Literal, NamedTuple

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


class _Token(NamedTuple):
    kind: str
    text: str


_EDGE = _Token("edge", "")
_CONNECTORS = frozenset({"and", "or", "to"})
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


@cache
def _pattern() -> re.Pattern[str]:
    signs = [mark for mark in known_marks() if not mark.isalpha()]
    signs.sort(key=len, reverse=True)
    return re.compile(
        rf"""
        (?P<number>{_NUMBER})
      | (?P<sign>{"|".join(map(re.escape, signs))})
      | (?P<word>[^\W\d_]+)
      | (?P<dash>[\-\u2010-\u2015\u2212])
      | (?P<blank>\s+)
      | (?P<separator>[,;/|&])
      | (?P<other>.)
        """,
        re.VERBOSE | re.DOTALL,
    )


def _tokens(written: str) -> list[_Token]:
    return [
        _Token(_kind_of_word(match[0]) if match["word"] else str(match.lastgroup), match[0])
        for match in _pattern().finditer(written)
    ]


def _kind_of_word(word: str) -> str:
    if word in known_marks():
        return "sign"
    if word.lower() == "free":
        return "free"
    return "separator" if word.lower() in _CONNECTORS else "word"


def amounts_in(written: str) -> tuple[list[Amount], bool]:
    """Return the amounts in a text, and whether they are all that it says."""
    scan = _Scan(_tokens(written))
    return scan.amounts, scan.is_list


class _Scan:
    """One reading of a row of tokens from left to right."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.amounts: list[Amount] = []
        self._tokens = tokens
        self._taken: set[int] = set()
        for index, token in enumerate(tokens):
            if token.kind == "number":
                self.amounts.append(self._amount(index))
            elif token.kind == "free":
                self._taken.add(index)
                self.amounts.append(Amount(number=Decimal(0), digits=""))
        self.is_list = all(
            index in self._taken or token.kind in {"dash", "blank", "separator"}
            for index, token in enumerate(tokens)
        )

    def _at(self, index: int) -> _Token:
        return self._tokens[index] if 0 <= index < len(self._tokens) else _EDGE

    def _beside(self, index: int, step: int) -> tuple[int, str]:
        """Return where the neighbour is, behind at most one blank, and that blank."""
        beside = self._at(index + step)
        if beside.kind == "blank":
            return index + 2 * step, beside.text
        return index + step, ""

    def _amount(self, index: int) -> Amount:
        """Take the number at ``index``, with its sign or code and its minus."""
        digits = self._at(index).text
        mark, position, gap, start = self._currency(index)
        is_negative = start < index and self._at(index - 1).kind == "dash"
        if self._at(start - 1).kind == "dash":
            # Between two amounts it is a dash, anywhere else a minus.
            earlier, _ = self._beside(start - 1, -1)
            is_negative |= self._at(earlier).kind not in {"number", "sign", "free"}
        number = _number(digits)
        return Amount(
            number=-number if is_negative and number else number,
            digits=digits,
            mark=mark,
            position=position,
            gap=gap,
        )

    def _currency(self, index: int) -> tuple[str, Position, str, int]:
        """Return the mark, position and gap, and where all of it begins."""
        self._taken.add(index)
        # In "$-5" the minus stands inside.
        inner = self._at(index - 1).kind == "dash" and self._is_free_sign(index - 2)
        before, gap = self._beside(index - inner, -1)
        if self._is_free_sign(before):
            self._taken.add(before)
            return self._at(before).text, "prefix", gap, before
        after, gap = self._beside(index, +1)
        # In "10 €20" the sign belongs to the next number.
        is_next = bool(gap) and self._at(after + 1).kind == "number"
        if self._is_free_sign(after) and not is_next:
            self._taken.add(after)
            return self._at(after).text, "postfix", gap, index
        return "", "", "", index

    def _is_free_sign(self, index: int) -> bool:
        return self._at(index).kind == "sign" and index not in self._taken


def _number(digits: str) -> Decimal:
    if grouped := re.fullmatch(_GROUPED, digits, re.VERBOSE):
        digits = digits.replace(grouped["mark"], "")
    return Decimal(digits.replace(",", "."))
