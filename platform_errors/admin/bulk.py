"""Changes of many rows: a page of them at once, more in the background.

What takes over in the background is named by ``PLATFORM_ERRORS["JOBS"]``, the dotted path
of an ``AskForAction``. It calls the same action of the same admin class again, later, with
a ``BackgroundRequest`` of the same person and some of the rows at a time. Without one,
every action is done while its page is answered.
"""

from __future__ import annotations

from collections import Counter
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest, QueryDict
from django.utils.html import format_html
from django.utils.module_loading import import_string

from platform_errors.conf import conf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from django.contrib.admin import ModelAdmin
    from django.db.models import QuerySet

MOST_ROWS = 100_000
"""Rows of one change."""


class NotTakenOver(Exception):
    """The change is not done in the background; says why in a sentence."""


class AskForAction(Protocol):
    """What takes over an action."""

    def __call__(
        self,
        request: HttpRequest,
        model_admin: ModelAdmin,
        action: str,
        *,
        rows: Sequence[Any],
        fields: Mapping[str, str],
    ) -> str:
        """Keep what is to be done; return the address of the page that shows the progress.

        ``rows`` are primary keys, ``fields`` what the action finds in ``request.POST``.
        Raises ``NotTakenOver``.
        """
        ...


class BackgroundRequest(HttpRequest):
    """What an admin class is asked with where there is no browser: a person, and words."""

    def __init__(
        self, user: Any, *, query: str = "", fields: Mapping[str, str] | None = None
    ) -> None:
        """Ask for a list with its query, or post fields to an action."""
        super().__init__()
        self.user = user
        self.method = "GET" if fields is None else "POST"
        self.META["SCRIPT_NAME"] = ""
        self.GET = QueryDict(query)
        self.POST = QueryDict(urlencode(fields or {}))
        self._messages = CookieStorage(self)  # which nobody reads
        self.done = 0
        self.left: Counter[str] = Counter()


def in_background(action: Callable[..., Any]) -> Callable[..., Any]:
    """Let an admin action that is about more than a page of rows be done later."""

    @wraps(action)
    def wrapped(self: ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        if hand_over(self, request, queryset, action.__name__):
            return None
        return action(self, request, queryset)

    return wrapped


def is_for_later(
    model_admin: ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]
) -> bool:
    """Return whether there are more rows than are changed while a page is answered."""
    if not conf.jobs or isinstance(request, BackgroundRequest):
        return False
    most = model_admin.list_per_page
    return len(_keys(queryset)[: most + 1]) > most


def _keys(queryset: QuerySet[Any]) -> Any:
    return queryset.order_by("pk").values_list("pk", flat=True)


def hand_over(
    model_admin: ModelAdmin,
    request: HttpRequest,
    queryset: QuerySet[Any],
    action: str,
    *,
    fields: Mapping[str, str] | None = None,
) -> bool:
    """Return whether the action was handed over or refused, as a message then says."""
    if not is_for_later(model_admin, request, queryset):
        return False
    rows = list(_keys(queryset)[: MOST_ROWS + 1])
    if len(rows) > MOST_ROWS:
        text = f"Nothing was changed: select at most {MOST_ROWS:,} rows."
        messages.error(request, text)
        return True
    ask: AskForAction = import_string(conf.jobs)
    try:
        address = ask(request, model_admin, action, rows=rows, fields=fields or {})
    except NotTakenOver as error:
        messages.error(request, str(error))
    else:
        tell_where(request, address)
    return True


def tell_where(request: HttpRequest, address: str) -> None:
    """Say on the next page where the person sees the progress."""
    text = 'This is running in the background. <a href="{}">See its progress</a>.'
    messages.success(request, format_html(text, address))


def tell(request: HttpRequest, words: str, done: int, left: Mapping[str, int]) -> None:
    """Say, or count, what an action did: to how many rows, and to how many not, and why.

    ``words`` and the reasons, the keys of ``left``, are the beginnings of sentences.
    """
    if isinstance(request, BackgroundRequest):
        request.done += done
        request.left.update(left)
        return
    if done or not any(left.values()):
        messages.success(request, f"{words}: {done}.")
    for reason, count in left.items():
        if count:
            messages.warning(request, f"{reason}: {count}.")
