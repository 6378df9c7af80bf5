"""One record as its caller sees it: its version, its document, and preconditions on it.

A write answers with the record as its caller would GET it, and compares what the caller
last saw with it (RFC 9110 13, spec 7.5), so reads and writes come through here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from calendar_events.api import conditional
from calendar_events.api.conditional import Version
from calendar_events.conf import conf
from calendar_events.documents import addresses, composition, term_answer
from calendar_events.documents.composition import Related
from calendar_events.models import (
    Event,
    Organizer,
    Status,
    Taxonomy,
    Term,
    Venue,
    visibility,
)
from calendar_events.models.kinds import kind_of
from calendar_events.models.visibility import Viewer
from calendar_events.parsing import dates
from calendar_events.serializers import bodies
from calendar_events.services.changesets import InTrash
from calendar_events.store import online, relations, singles, sql
from calendar_events.store.singles import Single
from platform_errors.errors import writes

JSON = "application/json"


def written(
    record: Event | Venue | Organizer | Term,
    *,
    viewer: Viewer,
    status: int = 200,
) -> Response:
    """Return the answer to a write: the record as it was saved, as its writer sees it.

    Its entity tag is that of the whole record also where ``_fields`` cuts the answer, so
    that the next write can name it in ``If-Match`` (decisions 6).
    The row is already loaded; only what it embeds is read, in one statement.

    Raises ``Term.DoesNotExist`` when somebody else has deleted the term.
    """
    location = f"{conf.root_url}/{kind_of(record).plural}/{record.pk}"
    version, document = described(record, viewer=viewer)
    body = addresses.fill(document())
    headers = {"Location": location} if status == 201 else None
    response = Response(body, status=status, headers=headers)
    conditional.add_headers(response, version, is_private=True)
    return response


def described(
    record: Event | Venue | Organizer | Term, *, viewer: Viewer
) -> tuple[Version, Callable[[], str]]:
    """Return the version of a loaded record as the viewer sees it, and its document.

    Raises ``Term.DoesNotExist`` when somebody else has deleted the term.
    """
    now = timezone.now()
    if isinstance(record, Term):
        row = singles.term_by_id(Taxonomy(record.taxonomy), record.pk, now)
        if row is None:  # deleted since it was found
            raise Term.DoesNotExist
        return term_version(row), partial(term_answer, row)
    kind, single = kind_of(record).singular, singles.of_record(record)
    is_event = kind == visibility.EVENT
    single = online.of_single(single, viewer, now) if is_event else single
    related = relations.of_answer(record.pk, viewer, now) if is_event else []
    version = record_version(kind, single, related, viewer=viewer, now=now)
    return version, partial(_document, kind, single, related, now=now)


def record_version(  # noqa: PLR0913 -- a record, who looks, and when
    kind: str,
    record: Single,
    related: Sequence[Related],
    *,
    viewer: Viewer,
    now: datetime,
    form: str = "json",
    fields: str = "",
) -> Version:
    """Return the version of an event, a venue or an organizer as the viewer sees it.

    ``related`` is what an event embeds, with its versions; ``fields`` are the members that
    the answer is cut to.
    """
    moments = [record.modified_at, *(one.modified_at for one in related)]
    # What time publishes changes then, though nobody writes it.
    published = [one.published_at for one in related]
    if record.status == Status.PUBLISH:
        published.append(record.published_at)
    published.append(record.online_from)
    moments += [moment for moment in published if moment and moment <= now]
    embedded = [
        (one.kind, one.id, one.version, bool(one.is_scheduled), one.fragment is None)
        for one in related
    ]
    etag = conditional.entity_tag(
        kind,
        record.id,
        record.version,
        # Rendered anew, a record stays at its version (``manage.py rebuild_calendar``).
        record.fragment,
        record.json_ld,
        Status.FUTURE if _is_scheduled(record, now) else record.status,
        embedded,
        viewer.key,
        form,
        fields,
    )
    return Version(etag=etag, modified_at=max(filter(None, moments)))


def single_body(kind: str, record: Single, *, viewer: Viewer, now: datetime) -> bytes:
    """Return the document of a record with its description for search engines."""
    if kind != visibility.EVENT:
        text = _document(kind, record, [], now=now)
        return addresses.fill(composition.with_json_ld(text, record.json_ld))
    related = relations.of_events(
        [record.id],
        viewer,
        now,
        has_scheduled=record.has_scheduled,
        with_json_ld=True,
    )
    fragment = composition.effective(
        record.fragment, is_scheduled=_is_scheduled(record, now)
    )
    return addresses.fill(composition.event_with_json_ld(fragment, record.json_ld, related))


def term_version(row: singles.TermRow, *, fields: str = "") -> Version:
    """Return the version of a term; ``fields`` are the members it is cut to."""
    return Version(
        etag=conditional.entity_tag(row.taxonomy, row.id, row.version, fields),
        modified_at=sql.as_moment(row.modified_at),
    )


def term_body(row: singles.TermRow) -> bytes:
    return addresses.fill(term_answer(row))


def fixed(request: Request, body: bytes) -> HttpResponseBase:
    """Answer with a document that only changes with the server, or with 304."""
    version = Version(etag=conditional.entity_tag_of(body))
    return conditional.respond(request, version, lambda: Response(body))


def _document(
    kind: str, record: Single, related: Sequence[Related], *, now: datetime
) -> str:
    is_scheduled = _is_scheduled(record, now)
    if kind != visibility.EVENT:
        return composition.record(record.fragment, is_scheduled=is_scheduled)
    fragment = composition.effective(record.fragment, is_scheduled=is_scheduled)
    return composition.event(fragment, related)


def _is_scheduled(record: Single, now: datetime) -> bool:
    return visibility.is_met_by(visibility.scheduled(now), record)


AnyRow = Event | Venue | Organizer | Term


def require_met(request: Request, version: Callable[[], Version]) -> None:
    """Hold the preconditions of a write against what is stored.

    ``version`` tells that of the record as this caller would GET it without ``_fields``
    (decisions 6). Raises ``PreconditionFailed``, and what ``version`` raises.
    """
    if conditional.PRECONDITIONS & request.META.keys():
        conditional.not_modified(request, version())


def checked_body(
    request: Request,
    record: AnyRow,
    version: Callable[[], Version],
    *,
    lists: Iterable[str],
) -> dict[str, Any]:
    """Return the body of a change once nothing stands in the way of reading it.

    ``version`` is that of ``require_met``; ``lists`` names the fields of which a form may
    hold several under one name.

    Raises ``InTrash``, ``PreconditionFailed``, ``Conflict`` and what ``read`` raises.
    """
    in_trash = getattr(record, "status", "") == Status.TRASH
    if not in_trash:
        require_met(request, version)
    body = bodies.read(request, lists=lists)
    if in_trash:
        if not str(body.get("status") or "").strip():
            raise InTrash(str(record))
        require_met(request, version)
    require_unchanged(record, body)
    return body


def require_unchanged(record: AnyRow, body: Mapping[str, Any]) -> None:
    """Require that the body was made of the stored copy (spec 7.5: 409).

    Raises ``Conflict``.
    """
    claimed = claimed_moment(body)
    if claimed is not None and claimed != record.modified_at.replace(microsecond=0):
        raise writes.Conflict(
            f"the record was modified at {record.modified_at:%Y-%m-%d %H:%M:%S} UTC"
        )


def claimed_moment(body: Mapping[str, Any]) -> datetime | None:
    """Return the ``modified_utc`` of a body, if it is a date; else the body is refused."""
    value = body.get("modified_utc")
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    try:
        return dates.parse(value, now=timezone.now(), zone=UTC).utc
    except dates.DateError:
        return None


def expected_version(
    request: Request,
    record: AnyRow,
    body: Mapping[str, Any] | None = None,
) -> int | None:
    """Return the version that must still be stored when the write happens.

    Only when the caller named one; without, changes are merged into what is there then.
    """
    is_conditional = bool(conditional.PRECONDITIONS & request.META.keys())
    if is_conditional or claimed_moment(body or {}) is not None:
        return record.version
    return None
