"""Answers that are one record: bytes, entity tag, headers; for reads and for writes.

A write answers with the record as its caller would GET it, so both come through here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.utils import timezone

from calendar_events.api import conditional, fieldsets
from calendar_events.conf import conf
from calendar_events.documents import addresses, composition, term_answer
from calendar_events.documents.terms import COLLECTIONS as TERM_COLLECTIONS
from calendar_events.models import (
    Event,
    Organizer,
    Status,
    Taxonomy,
    Term,
    Venue,
    visibility,
)
from calendar_events.store import relations, singles, sql, terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.http import HttpRequest
    from rest_framework.request import Request

    from calendar_events.documents.related import Related
    from calendar_events.models.visibility import Viewer
    from calendar_events.store.places import RecordRow
    from calendar_events.store.singles import Single

JSON = "application/json"
KINDS: dict[type[Any], str] = {
    Event: visibility.EVENT,
    Venue: visibility.VENUE,
    Organizer: visibility.ORGANIZER,
}
COLLECTIONS = {
    visibility.EVENT: "events",
    visibility.VENUE: "venues",
    visibility.ORGANIZER: "organizers",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """What a record's answer depends on: its entity tag and its age."""

    etag: str
    modified_at: datetime | None


def record_response(
    request: Request,
    record: Event | Venue | Organizer | Term,
    *,
    viewer: Viewer,
    status: int = 200,
) -> HttpResponse:
    """Return the answer to a write: the record as it was saved, as its writer sees it.

    Its entity tag is that of the whole record also where ``_fields`` cuts the answer, so
    that the next write can name it in ``If-Match`` (decisions 6).
    The row is already loaded; only what it embeds is read, in one statement.

    Raises ``Term.DoesNotExist`` when somebody else has deleted the term.
    """
    now = timezone.now()
    if isinstance(record, Term):
        row = terms.by_id(Taxonomy(record.taxonomy), record.pk, now)
        if row is None:  # deleted since it was found
            raise Term.DoesNotExist
        version = term_version(request, row, with_fields=False)
        body = term_body(row)
        path = f"/{TERM_COLLECTIONS[Taxonomy(record.taxonomy)]}/{record.pk}"
    else:
        kind = KINDS[type(record)]
        single = singles.of_record(record)
        related = (
            relations.of_answer(record.pk, viewer, now) if kind == visibility.EVENT else []
        )
        version = record_version(
            request,
            kind,
            single,
            viewer=viewer,
            now=now,
            with_fields=False,
            related=related,
        )
        body = record_body(kind, single, viewer=viewer, now=now, related=related)
        path = f"/{COLLECTIONS[kind]}/{record.pk}"
    response = respond(request, body, version, status=status)
    if status == 201:
        response["Location"] = f"{conf.root_url}{path}"
    return response


def check_preconditions(
    request: Request, record: Event | Venue | Organizer | Term, *, viewer: Viewer
) -> None:
    """Hold the preconditions of a write against the stored record.

    Compared with the record as this caller would GET it without ``_fields`` (decisions 6).
    Raises ``PreconditionFailed``; a record that is gone fails every precondition.
    """
    if not conditional.PRECONDITIONS & request.META.keys():
        return
    now = timezone.now()
    if isinstance(record, Term):
        row = terms.by_id(Taxonomy(record.taxonomy), record.pk, now)
        version = term_version(request, row, with_fields=False) if row else None
    else:
        kind = KINDS[type(record)]
        single = singles.by_id(kind, record.pk, now)
        version = single and record_version(
            request,
            kind,
            single,
            viewer=viewer,
            now=now,
            with_fields=False,
        )
    if version is None:
        conditional.check(request, "")
        return
    modified_at = record.modified_at
    conditional.check(request, version.etag, modified_at)


def record_version(  # noqa: PLR0913 -- a record, who looks, and when
    request: HttpRequest | Request,
    kind: str,
    record: Single,
    *,
    viewer: Viewer,
    now: datetime,
    with_fields: bool = True,
    form: str = "json",
    related: Sequence[Related] | None = None,
) -> Version:
    """Return the version of an event, a venue or an organizer as the viewer sees it.

    ``related`` is what an event embeds, where it was read already (with its versions).
    """
    if related is None:
        is_event = kind == visibility.EVENT
        related = relations.versions(record.id, viewer, now) if is_event else []
    moments = [record.modified_at, *(sql.as_moment(one.modified_at) for one in related)]
    # What time publishes changes then, though nobody writes it.
    published = [sql.as_moment(one.published_at) for one in related if one.published_at]
    if record.status == Status.PUBLISH:
        published.append(record.published_at)
    moments += [moment for moment in published if moment <= now]
    embedded = [
        (one.kind, one.id, one.version, bool(one.is_scheduled), one.fragment is None)
        for one in related
    ]
    etag = conditional.entity_tag(
        kind,
        record.id,
        record.version,
        effective_status(record, now),
        embedded,
        viewer.key,
        form,
        fieldsets.wanted(request.GET) if with_fields else "",
    )
    return Version(etag=etag, modified_at=max(moments))


def effective_status(record: Single, now: datetime) -> str:
    """Return the status that a record has at ``now``."""
    return Status.FUTURE if is_scheduled(record, now) else record.status


def is_scheduled(record: Single | RecordRow, now: datetime) -> bool:
    """Return whether time has yet to publish a record."""
    return visibility.holds(visibility.scheduled(now), record)


def record_body(
    kind: str,
    record: Single,
    *,
    viewer: Viewer,
    now: datetime,
    related: Sequence[Related] | None = None,
) -> bytes:
    """Return the document of an event, a venue or an organizer, addresses filled."""
    scheduled = is_scheduled(record, now)
    if kind != visibility.EVENT:
        return addresses.fill(composition.record(record.fragment, is_scheduled=scheduled))
    if related is None:
        related = relations.of_events(
            [record.id], viewer, now, has_scheduled=record.has_scheduled
        )
    fragment = composition.effective(record.fragment, is_scheduled=scheduled)
    return addresses.fill(composition.event(fragment, related))


def single_body(kind: str, record: Single, *, viewer: Viewer, now: datetime) -> bytes:
    """Return the document of a record with its description for search engines."""
    scheduled = is_scheduled(record, now)
    if kind != visibility.EVENT:
        text = composition.record(record.fragment, is_scheduled=scheduled)
        return addresses.fill(composition.with_json_ld(text, record.json_ld))
    related = relations.of_events(
        [record.id],
        viewer,
        now,
        has_scheduled=record.has_scheduled,
        with_json_ld=True,
    )
    fragment = composition.effective(record.fragment, is_scheduled=scheduled)
    return addresses.fill(composition.event_with_json_ld(fragment, record.json_ld, related))


def term_version(
    request: Request, row: terms.TermRow, *, with_fields: bool = True
) -> Version:
    """Return the version of a term."""
    named = fieldsets.wanted(request.GET) if with_fields else ""
    return Version(
        etag=conditional.entity_tag(row.taxonomy, row.id, row.version, named),
        modified_at=sql.as_moment(row.modified_at),
    )


def term_body(row: terms.TermRow) -> bytes:
    """Return the document of a term, addresses filled."""
    return addresses.fill(term_answer(row))


def respond(
    request: Request, body: bytes, version: Version, *, status: int = 200
) -> HttpResponse:
    """Return a document with its headers, cut to ``_fields``."""
    response = HttpResponse(
        fieldsets.cut(body, fieldsets.wanted(request.GET)),
        content_type=JSON,
        status=status,
    )
    add_headers(request, response, version)
    return response


def fixed(request: Request, body: bytes) -> HttpResponse:
    """Answer with a document that only changes with the server, or with 304."""
    version = Version(etag=conditional.entity_tag_of(body), modified_at=None)
    if conditional.is_not_modified(request, version.etag):
        return unchanged(version, is_private=is_private(request))
    response = HttpResponse(body, content_type=JSON)
    add_headers(request, response, version)
    return response


def unchanged(version: Version, *, is_private: bool) -> HttpResponse:
    """Return 304 for a version that somebody has, or everybody may have."""
    return conditional.not_modified(
        etag=version.etag, modified_at=version.modified_at, is_private=is_private
    )


def is_private(request: Request) -> bool:
    """Return whether an answer is for its caller alone."""
    return request.auth is not None or "password" in request.GET


def add_headers(request: Request, response: HttpResponse, version: Version) -> None:
    """Name the version, and who may keep it."""
    conditional.add_headers(
        response,
        etag=version.etag,
        modified_at=version.modified_at,
        is_private=is_private(request),
    )
