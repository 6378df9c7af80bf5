"""Permissions on records: the table of contract events 8, as mended.

Asked the same by id, by slug and in admin, and of Django's permissions alone, so that a
group is all that a role is (``roles.py``). ``change_event`` means one's own while
unpublished; with ``publish_event`` also one's own that is published;
``change_others_event`` everybody's.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Model

from calendar_events.models import Image, Record, Status, Taxonomy, Term
from calendar_events.models.kinds import kind_for


class NotAllowed(Exception):
    """The user lacks the permission; the text says for what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The user who writes, in an institution, through a service key or admin."""

    user: Any
    institution: str
    client_id: str = ""
    """The service key; empty in admin."""
    permissions: frozenset[str] | None = None
    """What the user holds of ``list_version.writing``, where it was read already."""

    @property
    def reason(self) -> str:
        """The reason in the history: the way in which the change came."""
        return f"service key {self.client_id}"[:100] if self.client_id else "admin"

    def has(self, verb: str, model: type[Model]) -> bool:
        """Return whether the user holds ``{verb}_{model}``."""
        return self.holds(f"{model._meta.app_label}.{verb}_{model._meta.model_name}")

    def holds(self, name: str) -> bool:
        """Return whether the user has a permission, named with its app as Django does."""
        if self.permissions is not None:
            return name in self.permissions
        return bool(self.user.has_perm(name))

    def owns(self, record: Record) -> bool:
        """Return whether the record is the user's own."""
        return record.author_id == self.user.pk


def may_publish(actor: Actor, model: type[Record]) -> bool:
    """Return whether what the actor writes may be seen by everybody."""
    return actor.has("publish", model)


def require_create(actor: Actor, model: type[Model]) -> None:
    """Require the right to create records of a kind. Raises ``NotAllowed``."""
    if not actor.has("add", model):
        raise NotAllowed(f"You may not create {model._meta.verbose_name_plural}.")


def require_verb(actor: Actor, verb: str, model: type[Model]) -> None:
    """Require the right to change or delete at least one's own. Raises ``NotAllowed``.

    It can be asked before the record is known, so that it says nothing about what exists.
    """
    if not (actor.has(verb, model) or actor.has(f"{verb}_others", model)):
        raise NotAllowed(f"You may not {verb} {model._meta.verbose_name_plural}.")


def require_on(actor: Actor, verb: str, record: Record) -> None:
    """Require the right to change or delete this very record. Raises ``NotAllowed``."""
    model = type(record)
    name = model._meta.verbose_name
    if record.institution != actor.institution:  # it was moved meanwhile
        raise NotAllowed(f"You may not {verb} this {name}: it is another institution's.")
    if actor.has(f"{verb}_others", model):
        return
    if not (actor.has(verb, model) and actor.owns(record)):
        raise NotAllowed(f"You may not {verb} this {name}: it is somebody else's.")
    if is_published(record) and not may_publish(actor, model):
        raise NotAllowed(f"You may not {verb} this {name}: it has been published.")


def may_move(actor: Actor, model: type[Record]) -> bool:
    """Return whether the actor may give records to another institution.

    The user model belongs to another app, of which we know only that a user's institution
    is the column ``institution_id``, where there is one.
    """
    is_kept_to_one = getattr(actor.user, "institution_id", None) is not None
    return not is_kept_to_one and actor.has("change_others", model)


def require_move(actor: Actor, record: Record) -> None:
    """Require the right to give a record to another institution. Raises ``NotAllowed``."""
    require_on(actor, "change", record)
    if not may_move(actor, type(record)):
        raise NotAllowed("Only staff of the platform may move it to another institution.")


def require_review(actor: Actor, record: Record) -> None:
    """Require the right to decide what becomes of a submission. Raises ``NotAllowed``."""
    require_on(actor, "change", record)
    if not may_publish(actor, type(record)):
        name = record._meta.verbose_name
        raise NotAllowed(f"You may not decide whether this {name} is published.")


def is_published(record: Record) -> bool:
    """Return whether the record is, or before it went to the trash was, published."""
    status = record.previous_status if record.status == Status.TRASH else record.status
    return status == Status.PUBLISH


def require_choose_author(actor: Actor, model: type[Record]) -> None:
    """Require the right to name another author than oneself. Raises ``NotAllowed``."""
    if not actor.has("change_others", model):
        raise NotAllowed("You may not make somebody else the author.")


def require_manage(actor: Actor, taxonomy: Taxonomy) -> None:
    """Require the right to manage terms of a kind. Raises ``NotAllowed``."""
    terms = kind_for(taxonomy).plural
    if not actor.holds(f"{Term._meta.app_label}.manage_{terms}"):
        raise NotAllowed(f"You may not create, change or delete {terms}.")


def require_manage_on(actor: Actor, term: Term) -> None:
    """Require the right to change or delete this very term. Raises ``NotAllowed``."""
    require_manage(actor, Taxonomy(term.taxonomy))
    if term.institution != actor.institution:
        raise NotAllowed("You may not manage this term: it is another institution's.")


def require_add_image(actor: Actor) -> None:
    """Require the right to bring in new images. Raises ``NotAllowed``."""
    if not actor.has("add", Image):
        raise NotAllowed("You may not add images.")
