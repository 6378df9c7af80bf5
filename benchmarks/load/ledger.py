"""What the server acknowledged, and whether it is still there.

An answer is a promise: a record that was created is there once, a change is not taken back,
what may be used once was used once. Whoever got no answer knows nothing; such a request may
have happened or not, but not twice.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Document:
    """One event of ours: the number of its last change that was sent, and acknowledged."""

    sent: int = 0
    acknowledged: int = 0
    is_busy: bool = False


@dataclass(slots=True)
class Used:
    """What may be used once and was, and the tokens that came of it."""

    codes: list[tuple[float, str]] = field(default_factory=list)
    """Authorization codes that were exchanged, and since when each had been valid."""
    nonces: list[tuple[float, dict[str, str]]] = field(default_factory=list)
    """Headers of signed requests that were answered, and when."""
    refreshed: list[str] = field(default_factory=list)
    """Refresh tokens that were exchanged for others."""
    issued: list[str] = field(default_factory=list)
    """Access tokens, the latest of each sign-in."""


@dataclass(slots=True)
class Ledger:
    """The promises of one run."""

    created: dict[int, str] = field(default_factory=dict)
    """Titles by identifier."""
    unanswered: dict[str, bytes] = field(default_factory=dict)
    """Requests to create that got no answer, by their idempotency keys."""
    documents: dict[int, Document] = field(default_factory=dict)
    used: Used = field(default_factory=Used)
    tried: Counter[str] = field(default_factory=Counter)
    """How many of what may be used once were tried again while they were valid."""

    def take_used(self) -> Used:
        """Return what was used since the last call."""
        taken, self.used = self.used, Used()
        return taken


def title_of(name: str, change: int) -> str:
    """Return the title of an event after so many changes."""
    return f"{name} change {change}"


def broken_promises(ledger: Ledger, stored: Mapping[int, str]) -> list[str]:
    """Return what does not hold, in words.

    ``stored`` has the titles of the run's events in the database, by identifier.
    """
    found = []
    for pk, name in ledger.created.items():
        document = ledger.documents[pk]
        title = stored.get(pk)
        if title is None:
            found.append(f"event {pk} ({name}) was created and is not there")
            continue
        allowed = range(document.acknowledged, document.sent + 1)
        if title not in {title_of(name, change) for change in allowed}:
            known = document.acknowledged
            found.append(f"event {pk} is {title!r}, but change {known} was acknowledged")
    names = Counter(title.rpartition(" change ")[0] for title in stored.values())
    found += [
        f"{name} was created {times} times" for name, times in names.items() if times > 1
    ]
    unknown = names.keys() - set(ledger.created.values())
    return found + [
        f"{name} exists, but was never acknowledged" for name in sorted(unknown)
    ]
