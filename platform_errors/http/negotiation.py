"""Which representation a caller wants: ``Accept`` with qualities (RFC 9110 12.5.1)."""

import re
from typing import NamedTuple

_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_RANGE = re.compile(rf"[ \t]*({_NAME})/({_NAME})[ \t]*((?:;[^,]*)?)")
_QUALITY = re.compile(
    r";[ \t]*q=(1(?:\.0{0,3})?|0(?:\.[0-9]{0,3})?)[ \t]*(?:;|$)", re.IGNORECASE
)
_ANY_QUALITY = re.compile(r";[ \t]*q[ \t]*=", re.IGNORECASE)

JSON = "application/json"
XML_TYPES = ("application/xml", "text/xml")


class Preference(NamedTuple):
    """How much a media type is wanted: by quality, then by how exactly it is named."""

    quality: float
    specificity: int

    @property
    def is_named(self) -> bool:
        """Whether the media type itself was written, not a wildcard that covers it."""
        return self.specificity == 2 and self.quality > 0


UNWANTED = Preference(0.0, -1)


def preference(accept: str, *media_types: str) -> Preference:
    """Return how much the best of ``media_types`` is wanted by an ``Accept`` value.

    The most specific range decides for each type. A missing header wants everything alike;
    ranges that cannot be read are passed over.
    """
    if not accept.strip():
        return Preference(1.0, 0)
    return max(_preference(accept, *media_type.split("/")) for media_type in media_types)


def _preference(accept: str, main: str, sub: str) -> Preference:
    best = UNWANTED
    for piece in accept.split(","):
        match = _RANGE.fullmatch(piece)
        if match is None:
            continue
        type_, subtype, parameters = (
            match.group(1).lower(),
            match.group(2).lower(),
            match[3],
        )
        if (type_, subtype) == (main, sub):
            specificity = 2
        elif type_ == main and subtype == "*":
            specificity = 1
        elif type_ == subtype == "*":
            specificity = 0
        else:
            continue
        found = _QUALITY.search(parameters)
        if found is None and _ANY_QUALITY.search(parameters):
            continue
        if specificity > best.specificity:
            best = Preference(float(found[1]) if found else 1.0, specificity)
    return best
