"""Find the records that a write refers to, in the institution of the writer.

Reading only. Each function asks once for everything, and says of each reference that cannot
be used why, in words that continue the name of the field.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model

from calendar_events.models import (
    Image,
    Organizer,
    Record,
    Status,
    Taxonomy,
    Term,
    Venue,
)
from calendar_events.models.kinds import kind_for
from calendar_events.parsing import text
from calendar_events.parsing.slugs import MAX_ID
from calendar_events.permissions import Actor, require_choose_author
from calendar_events.store import naming, saving

Place = Venue | Organizer

MOST_NAMESAKES = 50


class BadReference(Exception):
    """A reference that cannot be used; the text says which and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRows:
    """The stored rows that a write names, by kind and identifier."""

    institution: str
    """The writer's, whose rows may be named."""
    rows: Mapping[tuple[str, int], tuple[str, str]]
    """Owner and status."""

    def require(self, kind: str, pk: int) -> None:
        """Require that a row may be named.

        Raises ``BadReference`` for one that is unknown, trashed or another institution's.
        """
        owner, status = self.rows.get((kind, pk), ("", ""))
        name = kind_for(kind).singular
        _require_here(name, pk, owner, self.institution)
        if status == Status.TRASH:
            raise BadReference(f"names {name} {pk}, which is in the trash.")


def find(named: Mapping[str, Iterable[int]], *, institution: str) -> NamedRows:
    """Look up venues, organizers and terms, all in one statement."""
    return NamedRows(institution=institution, rows=naming.owners(named))


def _require_here(name: str, pk: int, owner: str, institution: str) -> None:
    if not owner:
        raise BadReference(f"names {name} {pk}, which does not exist.")
    if owner != institution:
        raise BadReference(f"names {name} {pk}, which belongs to another institution.")


def name_terms(
    tokens: Sequence[int | str], *, taxonomy: Taxonomy, rows: NamedRows
) -> list[int | str]:
    """Return the id of each term that is named by id, slug or name, in the order given.

    A text that names nothing stays a text: it is the name of a term to be created. A number
    wins over a slug of the same digits, and a slug over a name.

    Raises ``BadReference`` for a number that is no term of this kind and institution.
    """
    words = [token for token in tokens if isinstance(token, str)]
    named = _named_terms(words, taxonomy=taxonomy, institution=rows.institution)
    terms: list[int | str] = []
    for token in tokens:
        if isinstance(token, int):
            rows.require(taxonomy, token)
            terms.append(token)
        else:
            terms.append(named.get(token, token))
    return list(dict.fromkeys(terms))


def _named_terms(
    words: Sequence[str], *, taxonomy: Taxonomy, institution: str
) -> dict[str, int]:
    if not words:
        return {}
    terms = Term.objects.filter(taxonomy=taxonomy, institution=institution)
    slugs = dict(
        terms.filter(slug__in=[word.lower() for word in words]).values_list("slug", "id")
    )
    folded = {word: text.fold(word) for word in words}
    names: dict[str, int] = {}
    sort_texts = [name[: saving.SORT_LENGTH] for name in folded.values()]
    rows = terms.filter(sort_text__in=sort_texts).order_by("-id")
    for pk, name in rows.values_list("id", "name"):
        names[text.fold(name)] = pk  # of two with the same name the older one
    ids = {word: slugs.get(word.lower()) or names.get(folded[word]) for word in words}
    return {word: pk for word, pk in ids.items() if pk is not None}


def find_image(pk: int, *, institution: str) -> Image:
    """Return the image with this id. Raises ``BadReference``."""
    image = Image.objects.filter(pk=pk).first() if pk <= MAX_ID else None
    _require_here("image", pk, image.institution if image else "", institution)
    assert image is not None  # noqa: S101 -- _require_here has checked it
    return image


def find_stored_image(name: str, *, institution: str) -> Image | None:
    return Image.objects.filter(file=name, institution=institution).first()


def find_author(pk: int, *, actor: Actor, model: type[Record], current: int | None) -> int:
    """Return the author that a write names.

    The author of now, and on create the writer, may be named by everybody: a record's own
    answer is a valid body.

    Raises ``BadReference`` for a user who is unknown, disabled or of another institution,
    and ``NotAllowed`` when the writer may not name somebody else.
    """
    if pk == (actor.user.pk if current is None else current):
        return pk
    users: Any = get_user_model()
    user = users.objects.filter(pk=min(pk, MAX_ID), is_active=True).first()
    if user is None or not _are_colleagues(user, actor):
        raise BadReference("is not a user of this institution.")
    require_choose_author(actor, model)
    return pk


def _are_colleagues(user: Any, actor: Actor) -> bool:
    """Return whether the user is of the writer's institution; in admin, anybody is.

    The user model belongs to another app, of which we know only that a user's institution
    is the column ``institution_id``, where there is one.
    """
    writer = getattr(actor.user, "institution_id", None)
    return writer is None or getattr(user, "institution_id", None) == writer


def find_same(
    model: type[Place], changes: Mapping[str, Any], *, actor: Actor, now: datetime
) -> Place | None:
    """Return the oldest readable record that agrees with every given field."""
    rows = model.objects.filter(
        institution=actor.institution,
        sort_text=text.fold(changes["name"])[: saving.SORT_LENGTH],
    ).exclude(status=Status.TRASH)
    for row in rows.order_by("id")[:MOST_NAMESAKES]:
        readable = row.status == Status.PUBLISH or actor.owns(row)
        if not (readable or actor.has("read_unpublished", model)):
            continue
        if all(_value(row, name, now) == value for name, value in changes.items()):
            return row
    return None


def _value(record: Record, name: str, now: datetime) -> Any:
    if name == "author":
        return record.author_id
    if name == "status":
        return record.status_at(now)
    return getattr(record, name)
