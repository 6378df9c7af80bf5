"""Jobs are done here, a portion at a time. A background task, which may run more than once.

A portion and how far it came are one transaction, which locks the job: a second worker,
even one that was presumed dead, continues after it. What the person may do is asked anew
for every portion.
"""

from __future__ import annotations

from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import transaction
from django.utils import timezone
from django_tasks import task

from authserver.accounts import links
from authserver.conf import conf
from authserver.jobs import formats
from authserver.models import Job, JobFilePart, User
from platform_errors.admin.bulk import BackgroundRequest
from platform_errors.admin.lookups import dates_in_the_calendar
from platform_errors.http.request_id import serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.admin import ModelAdmin

ROWS_OF_ACTION = 50
ROWS_OF_EXPORT = 1000
"""Rows of a portion."""
SECONDS = 10.0
"""After so many a task leaves what remains to the next, behind what waits meanwhile."""
PROGRESS = (
    *("total", "position", "last_key", "done", "left", "size", "error"),
    *("started_at", "progressed_at", "finished_at", "expires_at"),
)
"""The columns that a portion writes."""
NO_RIGHT = "Refused: you do not, or no longer, have permission to do this."
NOT_YET = "Refused: choose a password of your own first."
NO_CHOICE = "Refused: what you chose is no longer available."
NO_FILTER = "Refused: the filter of the list is no longer valid."
STOPPED = "Stopped by hand."


class Refused(Exception):
    """The job is not done, and not tried again; says why in a sentence."""


@task()
def work_on_job(job_id: int) -> None:
    """Go on with a job. Raises what went wrong, to be tried again."""
    until = monotonic() + SECONDS
    try:
        while _do_portion(job_id):
            if monotonic() >= until:
                work_on_job.enqueue(job_id)
                return
    except Exception as error:
        first_line = next(iter(str(error).splitlines()), "")
        text = f"{type(error).__name__}: {first_line}"[:300]
        Job.objects.filter(pk=job_id, finished_at=None).update(error=text)
        raise


def person_of(job: Job) -> User:
    """Return the person of a job as they are now.

    Raises ``PermissionDenied`` for somebody who may not sign in any more, or belongs
    elsewhere now.
    """
    user = User.objects.select_related("institution").get(pk=job.user_id)
    if user.institution_id != job.institution_id or not links.may_use(user):
        raise PermissionDenied
    return user


def model_admin_of(job: Job) -> Any:
    """Return the admin class that the job is about."""
    return admin.site.get_model_admin(apps.get_model(job.model))


def _do_portion(job_id: int) -> bool:
    """Do the next portion; return whether there is another."""
    try:
        with transaction.atomic():
            rows = Job.objects.select_for_update(of=("self",))
            job = rows.filter(pk=job_id, finished_at=None).first()
            if job is None:
                return False
            _PORTIONS[Job.Kind(job.kind)](job)
            job.error = ""
            job.progressed_at = timezone.now()
            job.started_at = job.started_at or job.progressed_at
            job.save(update_fields=PROGRESS)
            return job.finished_at is None
    except PermissionDenied:
        end(job_id, NO_RIGHT)
    except (SuspiciousOperation, IncorrectLookupParameters):
        end(job_id, NO_FILTER)
    except Refused as error:
        end(job_id, str(error))
    return False


def end(job_id: int, why: str) -> None:
    """End an unfinished job for a reason. A portion that is being done is waited for.

    Raises ``OperationalError`` when it takes longer than locks are waited for.
    """
    with transaction.atomic():
        open_jobs = Job.objects.filter(pk=job_id, finished_at=None)
        if open_jobs.update(finished_at=timezone.now(), error=why, size=0):
            JobFilePart.objects.filter(job_id=job_id).delete()


def _act(job: Job) -> None:
    """Call the action for the next rows, as its list would for this person."""
    person = person_of(job)
    if person.must_change_password:  # who it is has to be proved anew, as in admin
        raise Refused(NOT_YET)
    request = BackgroundRequest(person, fields=job.arguments)
    request.META["REMOTE_ADDR"] = job.address
    model_admin: ModelAdmin = model_admin_of(job)
    action = model_admin.get_actions(request).get(job.name)
    if action is None or not model_admin.has_view_or_change_permission(request):
        raise PermissionDenied
    keys = job.rows[job.position : job.position + ROWS_OF_ACTION]
    with serving(request, job.request_id):
        rows = model_admin.get_queryset(request).filter(pk__in=keys)
        answer: Any = action[0](model_admin, request, rows)
    if answer is not None:  # a page that asks again
        raise Refused(NO_CHOICE)
    job.position += len(keys)
    job.done += request.done
    job.left = dict(Counter(job.left) + request.left)
    if job.position >= len(job.rows):
        job.finished_at = timezone.now()


def _export(job: Job) -> None:
    """Write the next rows that this person's list would show, the last first."""
    request = BackgroundRequest(person_of(job), query=job.arguments["query"])
    model_admin = model_admin_of(job)
    rows = model_admin.exported_rows(request).order_by("-pk")
    rest = rows if job.last_key is None else rows.filter(pk__lt=job.last_key)
    with dates_in_the_calendar():
        job.total = rows.count() if job.total is None else job.total
        portion = list(rest[:ROWS_OF_EXPORT])
    write = formats.WRITERS[job.name]
    columns = model_admin.export_columns
    content = write(portion, columns, is_first=job.last_key is None).encode()
    job.size += len(content)
    if job.size > conf.export_max_bytes:
        raise Refused(
            f"Stopped: the file would be larger than {conf.export_max_bytes:,} bytes. "
            "Filter the list, for example by date, and export it in parts."
        )
    JobFilePart.objects.create(job=job, number=job.position, content=content)
    job.position += len(portion)
    job.done = job.position
    if len(portion) == ROWS_OF_EXPORT:
        job.last_key = portion[-1].pk
        return
    job.total = job.position  # rows may have gone meanwhile
    job.finished_at = timezone.now()
    job.expires_at = job.finished_at + conf.export_lifetime


_PORTIONS: dict[Job.Kind, Callable[[Job], None]] = {
    Job.Kind.ACTION: _act,
    Job.Kind.EXPORT: _export,
}
