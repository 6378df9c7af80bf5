"""Asking for a job: what is kept of it, and how many a person may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from authserver.jobs import formats, running
from authserver.models import Job, User
from platform_errors.admin.bulk import NotTakenOver
from platform_errors.http.client_address import current_client_address
from platform_errors.http.request_id import stored_request_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.contrib.admin import ModelAdmin
    from django.http import HttpRequest

MOST_JOBS = 10
"""Of one person: under way, or with a file that is kept."""


def ask_for_action(
    request: HttpRequest,
    model_admin: ModelAdmin,
    action: str,
    *,
    rows: Sequence[Any],
    fields: Mapping[str, str],
) -> str:
    """Keep an action on rows (``platform_errors.admin.bulk.AskForAction``)."""
    opts = model_admin.opts
    choices: dict[str, str] = dict(model_admin.get_action_choices(request))
    words, rows_in_words = str(choices[action]), str(opts.verbose_name_plural)
    is_named = words.endswith(rows_in_words)
    return _ask(
        request,
        kind=Job.Kind.ACTION,
        title=words if is_named else f"{words}: {rows_in_words}",
        model=opts.label_lower,
        name=action,
        rows=list(rows),
        total=len(rows),
        arguments=dict(fields),
    )


def ask_for_export(request: HttpRequest, model_admin: ModelAdmin, kind: str) -> str:
    """Keep an export of the list that the request is about; return its page's address.

    Raises ``NotTakenOver``.
    """
    opts = model_admin.opts
    return _ask(
        request,
        kind=Job.Kind.EXPORT,
        title=f"Export of {opts.verbose_name_plural} as {formats.IN_WORDS[kind]}",
        model=opts.label_lower,
        name=kind,
        arguments={"query": request.GET.urlencode()},
    )


@transaction.atomic
def _ask(request: HttpRequest, **what: Any) -> str:
    now = timezone.now()
    # Locked, so that two requests do not both find room below the limit.
    user = User.objects.select_for_update(of=("self",)).get(pk=str(request.user.pk))
    if Job.objects.filter(user=user).taking_room(now).count() >= MOST_JOBS:
        raise NotTakenOver(
            f"Not started: you already have {MOST_JOBS} exports and changes that are "
            "running or whose file is kept. Try again when one has finished or expired."
        )
    job = Job.objects.create(
        user=user,
        institution_id=user.institution_id,
        address=current_client_address(),
        request_id=stored_request_id(),
        asked_at=now,
        **what,
    )
    running.work_on_job.enqueue(job.pk)
    return reverse("admin:authserver_job_change", args=[job.pk])
