"""Background tasks: how far they are, what went wrong, and another try."""

from datetime import datetime
from typing import Any

import django_tasks_db.admin  # noqa: F401 -- registers what is replaced here
from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult, get_date_max

from authserver import audit
from authserver.models import AuditEvent
from config.background import queue
from institution_admin import InstitutionScopedAdmin
from institution_admin.dashboard import ROWS, Block, Row, capped

# The package's own class shows what tasks were given, to staff of institutions as well.
admin.site.unregister(DBTaskResult)


@admin.register(DBTaskResult)
class TaskAdmin(InstitutionScopedAdmin):
    """To be looked at, newest first; what tasks were given, and returned, is not shown."""

    called = ("background task", "background tasks")
    list_display = [
        *("name", "status", "attempts", "error", "enqueued_at", "next_attempt_at"),
    ]
    list_filter = ["status", "enqueued_at"]
    search_fields = ["task_path", "exception_class_path"]
    ordering = ["-enqueued_at", "-pk"]
    fields = (
        *("name", "status", "attempts", "enqueued_at", "next_attempt_at"),
        *("started_at", "finished_at", "error"),
    )
    readonly_fields = fields
    actions = ["try_again"]
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Nobody adds by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let failed ones be tried again; nothing in a row is changed by hand."""
        return obj is None and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes by hand; ``clear_expired`` does."""
        return False

    def dashboard_blocks(self, request: HttpRequest) -> list[Block]:
        """Say on the first page which tasks failed, and how many wait."""
        tasks = self.get_queryset(request)
        failed = tasks.filter(status=TaskResultStatus.FAILED)
        waiting = tasks.filter(status=TaskResultStatus.READY)
        address = f"admin:{self.opts.app_label}_{self.opts.model_name}"
        rows = [
            Row(
                self.name(task),
                self.error(task),
                reverse(f"{address}_change", args=[task.pk]),
            )
            for task in failed.order_by("-enqueued_at")[:ROWS]
        ]
        page = f"{reverse(f'{address}_changelist')}?status__exact={TaskResultStatus.FAILED}"
        note = f"{capped(failed)} in all, {capped(waiting)} wait"
        return [Block("Failed background tasks", rows, page, note)]

    @admin.display(description="task", ordering="task_path")
    def name(self, row: DBTaskResult) -> str:
        """Return the function's name, in words."""
        return row.task_path.rpartition(".")[2].replace("_", " ")

    @admin.display(description="attempts")
    def attempts(self, row: DBTaskResult) -> str:
        """Return how often it was begun, and how often it will be at most."""
        return f"{len(row.worker_ids)} of {settings.TASK_ATTEMPTS}"

    @admin.display(description="next attempt", ordering="run_after")
    def next_attempt_at(self, row: DBTaskResult) -> datetime | None:
        """Return when a task that waits may begin; nothing when at once."""
        is_later = row.run_after != get_date_max()
        return row.run_after if row.status == TaskResultStatus.READY and is_later else None

    @admin.display(description="last error")
    def error(self, row: DBTaskResult) -> str:
        """Return the last line of the traceback: what went wrong, and no code."""
        lines = row.traceback.strip().splitlines()
        return lines[-1][:200] if lines else ""

    @admin.action(description="Try again what failed", permissions=["change"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Queue the failed ones among them once more."""
        count = queue.try_again(queryset)
        if count:
            audit.record(
                AuditEvent.Action.TASKS_RETRIED,
                actor=request.user.get_username(),
                tasks=count,
            )
        self.message_user(request, f"Queued again: {count}.", messages.SUCCESS)
