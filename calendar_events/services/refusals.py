"""Why a write is refused, in the words of the calendar; views turn these into statuses."""

from collections.abc import Mapping


class InvalidFields(Exception):
    """Fields have values that cannot be used; ``reasons`` says why, by field."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        """Take the reason of each bad field."""
        self.reasons = dict(reasons)
        super().__init__("; ".join(f"{name} {why}" for name, why in self.reasons.items()))


class TermExists(Exception):
    """A term of this name stands under the same parent already."""

    def __init__(self, term_id: int) -> None:
        """Take the identifier of the term that is there."""
        self.term_id = term_id
        super().__init__(f"Term {term_id} has this name and the same parent.")


class InTrash(Exception):
    """The record is in the trash; only a restore or a final deletion can reach it."""
