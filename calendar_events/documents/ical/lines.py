"""Content lines of iCalendar (RFC 5545 section 3.1): escaped, folded, ended by CRLF."""

from __future__ import annotations

import re

LONGEST = 74
"""Octets of a line before it is folded; with the blank of a continuation, 75."""

# A value may not contain control characters (RFC 5545 3.1), save for tabs. So the marks
# that stored texts are put together with cannot come from a value either.
_CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f]")
_QUOTED = re.compile("[,;: '\N{RIGHT SINGLE QUOTATION MARK}]")


def line(name: str, value: str) -> str:
    """Return a whole line; ``value`` is escaped already where its type wants it."""
    return f"{fold(clean(f'{name}:{value}'))}\r\n"


def clean(text: str) -> str:
    """Return ``text`` without the characters that no line may contain."""
    return _CONTROLS.sub("", text)


def escape(text: str) -> str:
    """Return a value of type TEXT (RFC 5545 3.3.11)."""
    return (
        text.replace("\\", "\\\\")
        .replace(";", r"\;")
        .replace(",", r"\,")
        .replace("\r\n", r"\n")
        .replace("\n", r"\n")
        .replace("\r", r"\n")
    )


def parameter(text: str) -> str:
    """Return the value of a parameter, in quotation marks if it needs them (RFC 6868)."""
    escaped = text.replace("^", "^^").replace('"', "^'")
    return f'"{escaped}"' if _QUOTED.search(escaped) else escaped


def fold(text: str) -> str:
    """Return one line as several, none longer than 75 octets.

    Characters stay whole, and so do pairs that begin with a backslash or a circumflex,
    which some readers take apart wrongly.
    """
    if len(text) <= LONGEST and text.isascii():
        return text
    octets = text.encode()
    parts: list[bytes] = []
    start = 0
    while len(octets) - start > LONGEST:
        end = start + LONGEST
        while octets[end] & 0xC0 == 0x80:  # within a character
            end -= 1
        if octets[end - 1] in b"\\^":
            end -= 1
        parts.append(octets[start:end])
        start = end
    parts.append(octets[start:])
    return b"\r\n ".join(parts).decode()
