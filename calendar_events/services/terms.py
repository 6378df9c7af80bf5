"""Create, change and delete categories and tags (spec 2.6)."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from calendar_events.models import Taxonomy, Term, TermQuerySet
from calendar_events.parsing import text
from calendar_events.permissions import Actor, require_manage, require_manage_on
from calendar_events.services.changesets import InvalidFields, TermChanges, TermExists
from calendar_events.services.writing import lock, set_history_actor
from calendar_events.store import naming, saving, sql


@transaction.atomic
def create_term(
    *, actor: Actor, taxonomy: Taxonomy, changes: TermChanges, now: datetime
) -> Term:
    """Create a term; its name must be among the changes, a taken slug gets ``-2``.

    Raises ``NotAllowed``, ``TermExists``, and ``InvalidFields`` on ``parent``.
    """
    require_manage(actor, taxonomy)
    _lock(taxonomy, actor.institution)
    term = Term(taxonomy=taxonomy, institution=actor.institution)
    _fill(term, changes)
    _require_free_name(term)
    naming.take_slug(term, changes.get("slug") or naming.made_slug(term))
    set_history_actor(term, actor)
    term.save(now=now)
    return term


@transaction.atomic
def update_term(
    *,
    actor: Actor,
    term_id: int,
    changes: TermChanges,
    now: datetime,
    expected_version: int | None = None,
) -> Term:
    """Change what is among the changes.

    Raises ``NotAllowed``, ``TermExists``, ``VersionConflict``, ``Term.DoesNotExist``, and
    ``InvalidFields`` on ``parent`` or on a ``slug`` that another term has.
    """
    term = _own_tree(actor, term_id, expected_version)
    named = term.name, term.parent_id
    _fill(term, changes)
    if (term.name, term.parent_id) != named:
        _require_free_name(term)
    term.slug = changes.get("slug", term.slug)
    if term.slug:
        _require_free_slug(term)
    else:
        naming.take_slug(term, naming.made_slug(term))
    set_history_actor(term, actor)
    term.save(now=now)
    return term


@transaction.atomic
def delete_term(
    *, actor: Actor, term_id: int, now: datetime, expected_version: int | None = None
) -> None:
    """Delete a term for good: events lose it, its children move up to its parent.

    Raises ``NotAllowed``, ``VersionConflict`` and ``Term.DoesNotExist``.
    """
    term = _own_tree(actor, term_id, expected_version)
    for child in Term.objects.select_for_update(of=("self",)).filter(parent=term):
        child.parent_id = term.parent_id
        set_history_actor(child, actor)
        child.save(now=now)
    set_history_actor(term, actor)
    term.delete()


def ensure_terms(
    *, actor: Actor, taxonomy: Taxonomy, tokens: Sequence[int | str], now: datetime
) -> list[int]:
    """Return identifiers for all tokens; names among them become new terms.

    Raises ``NotAllowed`` when there is a name and the actor may not create terms.
    """
    ids: list[int] = []
    for token in tokens:
        if isinstance(token, int):
            ids.append(token)
            continue
        try:
            term = create_term(
                actor=actor, taxonomy=taxonomy, changes={"name": token}, now=now
            )
        except TermExists as error:  # somebody else was faster
            ids.append(error.term_id)
        else:
            ids.append(term.pk)
    return ids


def _lock(taxonomy: str, institution: str) -> None:
    """Let one writer at a time change the tree and the names of an institution.

    Two terms that become each other's parent, and two of the same name, are each right
    alone; no constraint of the database can see both.
    """
    sql.advisory_lock("terms", taxonomy, institution)


def _own_tree(actor: Actor, term_id: int, expected_version: int | None) -> Term:
    """Return the row for writing, and its tree for nobody else."""
    stored = Term.objects.get(pk=term_id)
    _lock(stored.taxonomy, stored.institution)
    term = lock(Term, term_id, expected_version=expected_version)
    require_manage_on(actor, term)
    return term


def _fill(term: Term, changes: TermChanges) -> None:
    term.name = changes.get("name", term.name)
    term.description = changes.get("description", term.description)
    if "parent" in changes:
        parent = changes["parent"]
        if parent is not None:
            _require_parent(term, parent)
        term.parent_id = parent


def _require_parent(term: Term, parent: int) -> None:
    siblings = Term.objects.categories().filter(institution=term.institution)
    if not siblings.filter(pk=parent).exists():
        raise InvalidFields({"parent": f"names category {parent}, which does not exist."})
    if term.pk and parent in Term.objects.with_descendants([term.pk]):
        raise InvalidFields(
            {"parent": "must not be the category itself or one that is under it."}
        )


def _others(term: Term) -> TermQuerySet:
    return Term.objects.filter(
        taxonomy=term.taxonomy, institution=term.institution
    ).exclude(pk=term.pk)


def _require_free_name(term: Term) -> None:
    """Require that no sibling has the name, whatever its case and accents."""
    folded = text.fold(term.name)
    namesakes = _others(term).filter(
        parent=term.parent_id, sort_text=folded[: saving.SORT_LENGTH]
    )
    for pk, name in namesakes.order_by("id").values_list("id", "name"):
        if text.fold(name) == folded:
            raise TermExists(pk)


def _require_free_slug(term: Term) -> None:
    other = _others(term).filter(slug=term.slug).first()
    if other is not None:
        raise InvalidFields({"slug": f"belongs to another term, {other.pk}."})
