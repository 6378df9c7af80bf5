"""Words that the benchmark searches for, and how often events contain them."""

from __future__ import annotations

from typing import Final

STOP_WORD: Final = "the"
"""In practically every event."""
COMMON: Final = "lantern"
"""In five of a hundred events."""
COMMON_SHARE: Final = 0.05
RARE: Final = "zeppelin"
"""In one of a thousand events."""
RARE_SHARE: Final = 0.001
TWO_CHARACTERS: Final = "qu"
"""In practically every event, and too short for a trigram index."""
ABSENT: Final = "qqxyzzyq"
"""In none."""
