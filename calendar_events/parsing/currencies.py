"""Which currency a sign or code means, from the CLDR data of Babel. Pure."""

from contextlib import suppress
from functools import cache

from babel import Locale
from babel.core import UnknownLocaleError
from babel.languages import get_official_languages
from babel.numbers import get_currency_symbol, list_currencies

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
def known() -> dict[str, str]:
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
    return site if mark == symbol(site) else known()[mark]
