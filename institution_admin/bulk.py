"""Admin actions on selected rows: how many at most, and what was done to them."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.forms import ChoiceField
from django.http import HttpRequest

MAX_ROWS = 1_000
"""Rows of one action: what one request can change within its time limits."""


class BoundedActionForm(ActionForm):
    """Django's choice of an action, which says how many rows it takes."""

    action = ChoiceField(label=f"Action (at most {MAX_ROWS:,} rows):")


def bounded(action: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse an admin action on more than ``MAX_ROWS`` rows, and change nothing."""

    @wraps(action)
    def wrapped(self: ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        if len(queryset.order_by("pk").values_list("pk")[: MAX_ROWS + 1]) > MAX_ROWS:
            text = f"Nothing was changed: select at most {MAX_ROWS:,} rows."
            messages.error(request, text)
            return None
        return action(self, request, queryset)

    return wrapped


def report(request: HttpRequest, words: str, done: int, left: Mapping[str, int]) -> None:
    """Say what an action did: to how many rows, and to how many not, and why.

    ``words`` and the reasons, the keys of ``left``, are the beginnings of sentences.
    """
    if done or not any(left.values()):
        messages.success(request, f"{words}: {done}.")
    for reason, count in left.items():
        if count:
            messages.warning(request, f"{reason}: {count}.")
