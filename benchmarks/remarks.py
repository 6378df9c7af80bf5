"""Why a goal is missed, by its subject; shown only while it is."""

from __future__ import annotations

from typing import Final

REMARKS: Final[dict[str, str]] = {}
