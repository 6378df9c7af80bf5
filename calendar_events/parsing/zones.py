"""Read a time zone from text, and name it the way calendars print it.

Accepted are the names of the IANA database in any case, ``UTC``, ``UTC+2``,
``UTC-5:30``, ``+02:00`` and abbreviations such as ``EST``
(contract events 2 and contract events 5). What an abbreviation means no installed
library tells, so it is asked of the IANA database itself, through reference zones.
Pure: no clock, no settings, no models.
"""

import re
import zoneinfo
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from itertools import product

# Where two zones share an abbreviation the earlier one wins, so the order is the
# convention: CST is Chicago, BST is London. IST is left out on purpose: India, Israel
# and Ireland have equal claims, and a refusal is better than hours of difference.
_REFERENCE_ZONES = (
    "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles",
    "America/Anchorage", "America/Halifax", "America/St_Johns", "Pacific/Honolulu",
    "Pacific/Pago_Pago", "Pacific/Guam", "Europe/London", "Europe/Lisbon", "Europe/Berlin",
    "Europe/Athens", "Europe/Moscow", "Africa/Johannesburg", "Africa/Lagos",
    "Africa/Nairobi", "Africa/Maputo", "Asia/Karachi", "Asia/Jakarta", "Asia/Makassar",
    "Asia/Jayapura", "Asia/Hong_Kong", "Asia/Manila", "Asia/Tokyo", "Asia/Seoul",
    "Australia/Perth", "Australia/Adelaide", "Australia/Sydney", "Pacific/Auckland",
)  # fmt: skip
_AMBIGUOUS = frozenset({"IST"})
# Names under which the database files things that are not places or rules.
_NOT_ZONES = frozenset({"factory", "localtime", "posixrules", "leapseconds"})

_OFFSET = re.compile(
    r"""
    (?:UTC|GMT)?
    (?P<sign>[+-])
    (?:
        (?P<hours>[0-9]{1,2})
        (?: :? (?P<minutes>[0-9]{2}) (?: :? (?P<seconds>[0-9]{2}) )? )?
      | (?P<decimal>[0-9]{1,2}\.(?:0|25|5|50|75))       # UTC+5.5, a common spelling
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LOST_PLUS = re.compile(r"^(UTC|GMT) (?=[0-9])", re.IGNORECASE)


class ZoneError(ValueError):
    """The text names no time zone; the message says why, for people."""


@cache
def _names() -> dict[str, str]:
    """Return the names of the IANA database by their casefolded form."""
    return {
        name.casefold(): name
        for name in zoneinfo.available_timezones()
        if name.casefold() not in _NOT_ZONES
    }


def choices() -> list[str]:
    """Return the names of places in the IANA database, in order, for people to choose."""
    return sorted(name for name in _names().values() if "/" in name)


@cache
def _abbreviations() -> dict[str, timezone]:
    """Return the fixed offset that each abbreviation means, of summer time or not."""
    offsets: dict[str, timezone] = {}
    for name, month in product(_REFERENCE_ZONES, (1, 7)):
        moment = datetime(2025, month, 1, tzinfo=zoneinfo.ZoneInfo(name))
        short = f"{moment:%Z}"
        offset = moment.utcoffset() or timedelta()  # an aware moment always has one
        offsets.setdefault(short.upper(), timezone(offset, short))
    return {short: zone for short, zone in offsets.items() if short not in _AMBIGUOUS}


def _spelling(text: str) -> str:
    """Return ``text`` without blanks around it, and with the plus of an offset.

    In a query string a plus means a blank, so ``tz=+02:00`` arrives without it.
    """
    bare = text.strip().replace("\N{MINUS SIGN}", "-")
    if text.startswith(" ") and bare[:1].isdigit():
        return f"+{bare}"
    return _LOST_PLUS.sub(r"\1+", bare)


def _offset(spelling: str) -> timezone | None:
    match = _OFFSET.fullmatch(spelling)
    if match is None:
        return None
    if match["decimal"]:
        size = timedelta(hours=float(match["decimal"]))
    else:
        minutes, seconds = int(match["minutes"] or 0), int(match["seconds"] or 0)
        if minutes > 59 or seconds > 59:
            raise ZoneError("The offset of a time zone has minutes from 00 to 59.")
        size = timedelta(hours=int(match["hours"]), minutes=minutes, seconds=seconds)
    if size >= timedelta(hours=24):
        raise ZoneError("The offset of a time zone is less than 24 hours.")
    return timezone(size if match["sign"] == "+" else -size)


def zone(text: str) -> tzinfo:
    """Return the time zone that ``text`` names.

    An abbreviation is a fixed offset and wins over a database entry of the same name,
    as in the observed peer: ``CET`` is +01:00 all year, ``Europe/Berlin`` has summers.

    Raises ``ZoneError``.
    """
    spelling = _spelling(text)
    if (offset := _offset(spelling)) is not None:
        return offset
    if spelling.upper() in {"UTC", "Z"}:
        return UTC
    if fixed := _abbreviations().get(spelling.upper()):
        return fixed
    if spelling.upper() in _AMBIGUOUS:
        raise ZoneError(f"{spelling.upper()} has several meanings; name the place instead.")
    if known := _names().get(spelling.casefold()):
        return zoneinfo.ZoneInfo(known)
    raise ZoneError(
        "This is not a time zone. Use a name such as Europe/Berlin, UTC+2 or +02:00."
    )


def name(text: str) -> str:
    """Return ``text`` as it is kept and answered: as given, but in the usual case.

    Raises ``ZoneError``.
    """
    known = zone(text)
    if isinstance(known, zoneinfo.ZoneInfo):
        return known.key
    spelling = _spelling(text).upper()
    return "UTC" if spelling == "Z" else spelling
