"""The record that the address of a write names, by id or by slug."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from calendar_events.models import Event, Organizer, Taxonomy, Term, Venue
from calendar_events.parsing import slugs
from calendar_events.parsing.identifiers import identifier
from calendar_events.permissions import require_on
from calendar_events.services import naming
from platform_errors.permissions import require_credentials, require_same_institution

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rest_framework.request import Request

    from calendar_events.permissions import Actor

AnyRecord = TypeVar("AnyRecord", bound=Event | Venue | Organizer)


def record(model: type[AnyRecord], address: Mapping[str, str]) -> AnyRecord:
    """Return the event, venue or organizer.

    A record in the trash is also found by the slug it had before, as long as nobody else
    took it: who deletes it twice, or restores it, uses the address that they know.

    Raises the model's ``DoesNotExist``.
    """
    if "pk" in address:
        return cast("AnyRecord", model.objects.get(pk=identifier(address["pk"])))
    slug = slugs.from_path(address["slug"])
    names = [name for name in (slug, naming.trashed(slug)) if name]
    rows = model.objects.filter(slug__in=names)
    found = {row.slug: row for row in rows}
    for name in names:
        if name in found:
            return cast("AnyRecord", found[name])
    raise model.DoesNotExist


def writable_record(
    request: Request,
    actor: Actor,
    verb: str,
    model: type[AnyRecord],
    address: Mapping[str, str],
) -> AnyRecord:
    """Return the record, which the actor may ``change`` or ``delete``.

    Raises what ``record``, ``require_same_institution`` and ``require_on`` raise.
    """
    found = record(model, address)
    require_same_institution(require_credentials(request), found.institution)
    require_on(actor, verb, found)
    return found


def own_term(request: Request, taxonomy: Taxonomy, address: Mapping[str, str]) -> Term:
    """Return the category or tag, which is of the institution of the credentials.

    Raises what ``term`` and ``require_same_institution`` raise.
    """
    found = term(taxonomy, address)
    require_same_institution(require_credentials(request), found.institution)
    return found


def term(taxonomy: Taxonomy, address: Mapping[str, str]) -> Term:
    """Return the category or tag. Raises ``Term.DoesNotExist``."""
    return Term.objects.get(taxonomy=taxonomy, pk=identifier(address["pk"]))
