"""``GET {events_root}/changes``."""

from datetime import timedelta
from typing import Any

import orjson
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.module_loading import import_string
from rest_framework.request import Request
from rest_framework.response import Response

from calendar_events.api import conditional
from calendar_events.api.changes import tokens, waiting
from calendar_events.api.changes.shapes import (
    MAX_PER_PAGE,
    PARAMETERS,
    Changes,
    ChangesParameters,
)
from calendar_events.api.changes.tokens import Token
from calendar_events.api.conditional import Version
from calendar_events.api.reading import ListView
from calendar_events.api.renderers import is_wanted
from calendar_events.documents import addresses
from calendar_events.filters.base import ListFilterBackend, by_parameter
from calendar_events.models import Term
from calendar_events.models.kinds import KINDS, Kind, kind_for
from calendar_events.store import changed, lists, pages, sql
from calendar_events.store.changed import Batch, LogForgotten
from platform_errors.errors.base import ApiError
from platform_errors.errors.writes import InvalidParameters

RETRY_SECONDS = 5
"""When to ask again if there was no place to wait."""
STEADY = timedelta(hours=1)
"""So long an answer without changes repeats the token that it was asked with."""


class ChangesGone(ApiError):
    """The token is older than the log, or its caller sees something else now."""

    default_code = "changes_gone"
    status_code = 410
    default_detail = "Not everything is kept that changed since; make a new copy"
    events_code = "changes-gone"


class ChangesView(ListView):
    """``GET {events_root}/changes``."""

    shape = Changes
    examples = "changes"
    operation_id = "readChanges"
    parameters = PARAMETERS

    def retrieve(self, request: Request) -> HttpResponseBase:
        """Read what changed since."""
        query = by_parameter(request.query_params)
        parameters = ChangesParameters(
            data={**query.dict(), "types": ",".join(query.getlist("types"))}
        )
        if not parameters.is_valid():
            raise InvalidParameters(
                {name: error[0] for name, error in parameters.errors.items()}
            )
        asked = parameters.validated_data
        if "since" not in asked:
            token = Token(
                changed.beginning(self.now), asked["types"], tokens.viewer_of(self.viewer)
            )
            return self._answer([], tokens.written(token), more=False)
        return self._since(asked["since"], asked, sent="types" in query)

    def _since(
        self, token: Token, asked: dict[str, Any], *, sent: bool
    ) -> HttpResponseBase:
        """Answer with what changed. Raises ``InvalidParameters`` and ``ChangesGone``."""
        if sent and asked["types"] != token.types:
            raise InvalidParameters({"types": "The token is for other types."})
        self._require_same_viewer(token)
        limit = min(asked["per_page"], MAX_PER_PAGE)
        batch, was_busy = self._batch(token, limit=limit, wait=asked["wait"])
        is_quiet = not batch.changed and not batch.more
        if is_quiet and self.now - token.seen.at < STEADY:
            batch = batch._replace(seen=token.seen)
        following = tokens.written(token._replace(seen=batch.seen))
        items = self._items(batch.changed)
        busy = RETRY_SECONDS if was_busy and is_quiet else None
        return self._answer(items, following, more=batch.more, retry_after=busy)

    def _batch(self, token: Token, *, limit: int, wait: int) -> tuple[Batch, bool]:
        """Return what changed, if need be after waiting, and whether no seat was free."""
        kinds = [kind.singular for kind in _kinds(token.types)]

        def look() -> Batch:
            return changed.read(token.seen, kinds=kinds, limit=limit, now=self.now)

        try:
            batch = look()
            if batch.changed or batch.more or not wait:
                return batch, False
            with waiting.seats.one() as is_seated:
                for _ in waiting.moments(wait if is_seated else 0):
                    sql.close_old_connection()
                    self.now = timezone.now()
                    batch = look()
                    if batch.changed or batch.more:
                        break
        except LogForgotten as error:
            raise ChangesGone from error
        for name in ("state", "viewer"):
            self.__dict__.pop(name, None)  # who looks may be permitted less by now
        self._require_same_viewer(token)
        return batch, not is_seated

    def _require_same_viewer(self, token: Token) -> None:
        """Raise ``ChangesGone`` when the copy was made with other permissions."""
        if token.viewer != tokens.viewer_of(self.viewer):
            raise ChangesGone("what you may see is not what it was")

    def _items(self, found: list[tuple[str, int]]) -> list[str]:
        """Return changes as JSON texts, in order; records only where they are wanted."""
        documents: dict[tuple[str, int], str] = {}
        has_records = is_wanted(self.request.query_params, "changes.record")
        for name in dict.fromkeys(name for name, _ in found):
            ids = [pk for one, pk in found if one == name]
            rows = self._listed(kind_for(name))
            if not has_records:
                documents |= {(name, pk): "" for pk in lists.having(rows, ids)}
                continue
            for pk, text in pages.named(
                rows, ids, has_scheduled=self.state.has_scheduled
            ).items():
                documents[name, pk] = text
        return [_item(name, pk, documents.get((name, pk))) for name, pk in found]

    def _listed(self, kind: Kind) -> Any:
        """Return what the caller may see of a kind, as the view of its list has it.

        A project may have narrowed that, or added filter backends.
        """
        view: Any = import_string(kind.viewset)(request=self.request, action="list")
        view.args, view.kwargs, view.format_kwarg = (), {}, None
        view.now, view.viewer = self.now, self.viewer
        if "state" in vars(self):  # which costs a statement, and few need it
            view.state = self.state
        rows = view.get_queryset()
        for backend in view.filter_backends:
            if not issubclass(backend, ListFilterBackend):
                rows = backend().filter_queryset(self.request, rows, view)
        return rows.hiding_empty(wanted=False) if kind.model is Term else rows

    def _answer(
        self,
        items: list[str],
        following: str,
        *,
        more: bool,
        retry_after: int | None = None,
    ) -> HttpResponseBase:
        last: dict[str, Any] = {"next": following, "more": more}
        if retry_after is not None:
            last["retry_after"] = retry_after
        body = addresses.fill(f'{{"changes":[{",".join(items)}],') + orjson.dumps(last)[1:]
        # Of the body's digest: its text is long.
        tag = conditional.entity_tag(
            self.request.get_full_path(), conditional.entity_tag_of(body)
        )
        return conditional.respond(self.request, Version(etag=tag), lambda: Response(body))


def _kinds(types: str) -> list[Kind]:
    names = types.split(",") if types else None
    return [kind for kind in KINDS if names is None or kind.plural in names]


def _item(name: str, pk: int, document: str | None) -> str:
    head = f'{{"type":"{kind_for(name).plural}","id":{pk},"change":'
    if document is None:
        return f'{head}"deleted"}}'
    if not document:
        return f'{head}"updated"}}'
    return f'{head}"updated","record":{document}}}'
