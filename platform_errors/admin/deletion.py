"""Deletion of selected rows: Django's for a page of them, in the background for more.

Django looks at every row, and at all that hangs on it, while the page is answered. Of more
than a page of rows the number is confirmed; then each is looked at in its turn, and those
that may not be deleted are left and counted.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from django.contrib import messages
from django.contrib.admin import actions
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.template.response import TemplateResponse

from platform_errors.admin import bulk

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

ACTION: Final = "delete_selected"
"""Django's name for it."""
CONFIRMED: Final = "confirmed_count"
"""What carries the number of rows that the person has agreed to delete."""
NOT_ALLOWED: Final = "Not deleted, because you may not delete them or what goes with them"
NEEDED: Final = "Not deleted, because other records need them"


def delete_selected(
    model_admin: ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]
) -> HttpResponse | None:
    """Delete rows, after a page that asks (an admin action)."""
    if isinstance(request, bulk.BackgroundRequest):
        _delete_each(model_admin, request, queryset)
        return None
    if not bulk.is_for_later(model_admin, request, queryset):
        return actions.delete_selected(model_admin, request, queryset)
    count = queryset.count()
    confirmed = request.POST.get(CONFIRMED)
    if count > bulk.MOST_ROWS or confirmed == str(count):
        bulk.hand_over(model_admin, request, queryset, ACTION)
        return None
    if confirmed:
        text = "The list has changed in the meantime. Check the number and confirm again."
        messages.warning(request, text)
    opts = model_admin.opts
    context = {
        **model_admin.admin_site.each_context(request),
        "title": f"Delete {count:,} {opts.verbose_name_plural}?",
        "opts": opts,
        "count": count,
        "confirmed_name": CONFIRMED,
        "selected": request.POST.getlist("_selected_action"),
        "select_across": request.POST.get("select_across", "0"),
    }
    return TemplateResponse(request, "admin/platform_errors/delete_many.html", context)


def _delete_each(
    model_admin: ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]
) -> None:
    """Delete the rows that may be deleted, by the rules of their own pages."""
    done, left = 0, Counter[str]()
    for pk in list(queryset.order_by("pk").values_list("pk", flat=True)):
        row = queryset.filter(pk=pk)
        if not row:  # an earlier one took it along
            continue
        try:
            with transaction.atomic():
                reason = _delete(model_admin, request, row)
        except PermissionDenied:
            reason = NOT_ALLOWED
        except IntegrityError:  # Django's ProtectedError and RestrictedError, too
            reason = NEEDED
        if reason:
            left[reason] += 1
        else:
            done += 1
    bulk.tell(request, "Deleted", done, left)


def _delete(model_admin: ModelAdmin, request: HttpRequest, row: QuerySet[Any]) -> str:
    """Delete a row; return why it was not, or nothing."""
    *_, lacking, protected = model_admin.get_deleted_objects(row, request)
    if lacking:
        return NOT_ALLOWED
    if protected:
        return NEEDED
    model_admin.log_deletions(request, row)
    model_admin.delete_queryset(request, row)
    return ""
