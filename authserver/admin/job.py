"""Jobs: how far they are, and the files of exports. Everybody sees their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import (
    Http404,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.template.defaultfilters import filesizeformat
from django.urls import path, reverse
from django.utils import timezone
from django.utils.html import format_html

from authserver.admin.base import ReadOnlyAdmin
from authserver.admin.export import as_file
from authserver.jobs import running
from authserver.models import Job
from platform_errors.admin import institution_of, is_id
from platform_errors.errors.handler import is_lock_timeout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

OF_ACTIONS = ("changed", "passed_over", "not_changed")
OF_EXPORTS = ("file",)
FIELDS = (
    *("state", "progress", *OF_ACTIONS, "error", *OF_EXPORTS),
    *("asked_by", "institution_then"),
    *("asked_at", "started_at", "progressed_at", "finished_at"),
)
UNSTARTED = "Waiting"
UNFINISHED = "Running"
FINISHED = "Done"
ENDED = "Ended early"
AT_WORK = "Not stopped: it is at work right now. Try again in a moment."
FAILED = "Failed; retried automatically a few times"


class StateFilter(admin.SimpleListFilter):
    """Jobs by how far they are."""

    title = "state"
    parameter_name = "state"

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> list[tuple[str, str]]:
        """Offer what people look for."""
        return [("open", "Not finished"), ("error", "With an error")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Job]) -> QuerySet[Job]:
        """Keep the jobs of the chosen state."""
        if self.value() == "open":
            return queryset.filter(finished_at=None)
        return queryset.exclude(error="") if self.value() == "error" else queryset


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    """Read-only: one's own, and everybody's for staff of the platform who may see them."""

    institution_path = "institution"

    list_display = ["title", "state", "progress", "user", "asked_at", "finished_at"]
    list_filter = [StateFilter, "kind", "asked_at"]
    list_select_related = ["user"]
    search_fields = ["title", "user__login__startswith"]
    ordering = ["-asked_at", "-pk"]
    readonly_fields = FIELDS
    show_full_result_count = False
    change_form_template = "admin/authserver/job/change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        """Keep others' jobs from all but staff of the platform who may see them."""
        rows = super().get_queryset(request).defer("rows", "arguments")
        return rows if self._sees_all(request) else rows.filter(user=request.user.pk)

    def is_allowed(self, request: HttpRequest, verb: str, obj: Any = None) -> bool:
        """Keep others' jobs from them by address, too."""
        return super().is_allowed(request, verb, obj) and (
            obj is None or obj.user_id == request.user.pk or self._sees_all(request)
        )

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Need no permission for the own jobs."""
        return self.is_allowed(request, "view", obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Stand in the menu of those who have something else here; others have the link."""
        return bool(request.user.has_module_perms(self.opts.app_label))

    def _sees_all(self, request: HttpRequest) -> bool:
        return institution_of(request) is None and request.user.has_perm(
            "authserver.view_job"
        )

    def get_fields(self, request: HttpRequest, obj: Job | None = None) -> Any:
        """Leave out what only the other kind of jobs has."""
        is_export = obj is not None and obj.kind == Job.Kind.EXPORT
        others = OF_ACTIONS if is_export else OF_EXPORTS
        return [name for name in FIELDS if name not in others]

    def get_urls(self) -> list[Any]:
        """Add the files, and what ends a job."""
        pages = [
            path(
                f"<str:object_id>/{view.__name__}/",
                self.admin_site.admin_view(view),
                name=f"authserver_job_{view.__name__}",
            )
            for view in (self.download, self.stop)
        ]
        return [*pages, *super().get_urls()]

    def download(self, request: HttpRequest, object_id: str) -> StreamingHttpResponse:
        """Answer with the file to who asked for it and still may see its rows.

        Raises ``Http404`` when there is none, or it is somebody else's.
        """
        job = self._own(request, object_id)
        if not job.has_file(timezone.now()):
            raise Http404
        running.person_of(job)
        rows = running.model_admin_of(job)
        if not rows.has_view_permission(request):
            raise PermissionDenied
        headers = as_file(rows.export_name, job.name) | {"Content-Length": str(job.size)}
        return StreamingHttpResponse(_contents(job), headers=headers)

    def stop(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """End the person's own job, if it is not finished (POST). Raises ``Http404``."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        job = self._own(request, object_id)
        try:
            running.end(job.pk, running.STOPPED)
        except OperationalError as error:
            if not is_lock_timeout(error):
                raise
            messages.warning(request, AT_WORK)
        return HttpResponseRedirect(reverse("admin:authserver_job_change", args=[job.pk]))

    def _own(self, request: HttpRequest, object_id: str) -> Job:
        key = unquote(object_id)
        own = Job.objects.filter(user=request.user.pk)
        job = own.filter(pk=key).first() if is_id(key) else None
        if job is None:
            raise Http404
        return job

    @admin.display(description="state")
    def state(self, job: Job) -> str:
        """Return in words how far the job is."""
        if job.finished_at is not None:
            return ENDED if job.error else FINISHED
        if job.error:
            return FAILED
        return UNFINISHED if job.started_at else UNSTARTED

    @admin.display(description="progress")
    def progress(self, job: Job) -> str:
        """Return how many rows were looked at, of how many."""
        return f"{job.position:,}" + ("" if job.total is None else f" of {job.total:,}")

    @admin.display(description="changed")
    def changed(self, job: Job) -> str:
        """Return how many rows were changed."""
        return f"{job.done:,}"

    @admin.display(description="passed over")
    def passed_over(self, job: Job) -> str:
        """Return at how many there was nothing to do."""
        why = ": deleted, not accessible to you, or already as requested"
        return f"{job.passed_over:,}{why if job.passed_over else ''}"

    @admin.display(description="not changed")
    def not_changed(self, job: Job) -> str:
        """Return how many rows were refused, and why."""
        return " ".join(f"{why}: {count:,}." for why, count in job.left.items()) or "0"

    @admin.display(description="user")
    def asked_by(self, job: Job) -> str:
        """Return who asked; the page of an account is not open to everybody."""
        return str(job.user)

    @admin.display(description="institution")
    def institution_then(self, job: Job) -> str:
        """Return the institution of who asked, then."""
        return str(job.institution or "None")

    @admin.display(description="file")
    def file(self, job: Job) -> str:
        """Lead to the file, which is for who asked for it alone."""
        if job.expires_at is None:
            return "None"
        if not job.has_file(timezone.now()):
            return "No longer kept"
        return format_html(
            '<a href="{}">Download</a> ({}), available until {} UTC, only to the person '
            "who asked for it",
            reverse("admin:authserver_job_download", args=[job.pk]),
            filesizeformat(job.size),
            f"{job.expires_at:%Y-%m-%d %H:%M}",
        )


def _contents(job: Job) -> Iterator[bytes]:
    """Yield the file, reading one piece of it at a time and holding no cursor open."""
    numbers = job.parts.order_by("number").values_list("number", flat=True)
    for number in list(numbers):
        for content in job.parts.filter(number=number).values_list("content", flat=True):
            yield bytes(content)
