"""Identifiers as callers write them."""

from __future__ import annotations

MAX_ID = 2**63 - 1
"""The largest identifier that a row can have."""


def identifier(digits: str) -> int:
    """Return the number in an address; for one that no row can have, 0, which none has.

    Python refuses to read thousands of digits, so they are counted first.
    """
    digits = digits.lstrip("0")
    if not digits or len(digits) > len(str(MAX_ID)):
        return 0
    number = int(digits)
    return number if number <= MAX_ID else 0
