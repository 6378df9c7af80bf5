"""What the admin classes have in common."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from authserver import audit
from authserver.accounts import signing_in
from authserver.admin.changes import changed_values
from authserver.models import AuditEvent
from institution_admin import InstitutionScopedAdmin
from platform_errors.credentials import Terminable


class ReadOnly:
    """Rows that the server writes: to be looked at, not added, changed or deleted."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Nobody adds by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes by hand."""
        return False


class ReadOnlyAdmin(ReadOnly, InstitutionScopedAdmin):
    """The lists and pages of such rows."""


class WithState(InstitutionScopedAdmin):
    """Rows with a status and an expiry."""

    @admin.display(description="state", ordering="status")
    def state(self, row: Any) -> str:
        """Say what the two come to, by the rule of the edge."""
        terminable = Terminable(status=row.status, expires_at=row.expires_at)
        return terminable.status_at(timezone.now()).capitalize()


class AuditedAdmin(InstitutionScopedAdmin):
    """Rows whose every change is in the audit record, besides Django's own log."""

    added: ClassVar[AuditEvent.Action]
    changed: ClassVar[AuditEvent.Action]
    deleted: ClassVar[AuditEvent.Action]
    names: ClassVar[Mapping[str, str]] = {}
    """What the record says of the row besides the change, as paths from the row."""
    words: ClassVar[str] = "{message}"
    """What the record says of the change; ``row`` and Django's ``message`` are known."""
    fixed: ClassVar[Sequence[str]] = ()
    """Fields that are chosen once."""

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Keep what is chosen once."""
        fields = super().get_readonly_fields(request, obj)
        return [*fields, *self.fixed] if obj else fields

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Show or take the page of a row, of whoever may change it to a fresh sign-in."""
        if self.has_change_permission(request) or self.has_add_permission(request):
            signing_in.require_fresh(request)
        return super().changeform_view(request, *args, **kwargs)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Delete a row, after a fresh sign-in."""
        signing_in.require_fresh(request)
        return super().delete_view(request, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """List the rows; actions on them need a fresh sign-in."""
        if request.method == "POST":
            signing_in.require_fresh(request)
        return super().changelist_view(request, *args, **kwargs)

    def named(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        """Return what ``names`` lead to."""
        return {name: attrgetter(path)(obj) for name, path in self.names.items()}

    def action_of_change(self, request: HttpRequest) -> AuditEvent.Action:
        """Return what a change by this request is recorded as."""
        return self.changed

    def construct_change_message(
        self,
        request: HttpRequest,
        form: Any,
        formsets: Any,
        add: bool = False,  # noqa: FBT001, FBT002 -- Django's
    ) -> Any:
        """Keep what was changed from what to what, for the audit record."""
        request.changed_values = changed_values(form, formsets)  # type: ignore[attr-defined]
        return super().construct_change_message(request, form, formsets, add)

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> LogEntry:
        """Audit a new row."""
        entry = super().log_addition(request, obj, message)
        self._audit(self.added, request, obj, entry.get_change_message())
        return entry

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> LogEntry:
        """Audit what was changed, rows within the page included."""
        entry = super().log_change(request, obj, message)
        self._audit(
            self.action_of_change(request), request, obj, entry.get_change_message()
        )
        return entry

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """Audit the end of rows."""
        for row in queryset:
            self._audit(self.deleted, request, row, "Deleted.")
        return super().log_deletions(request, queryset)

    def _audit(
        self, action: AuditEvent.Action, request: HttpRequest, obj: Any, message: str
    ) -> None:
        audit.record(
            action,
            actor=request.user.get_username(),
            changes=self.words.format(row=obj, message=message),
            values=getattr(request, "changed_values", None) or [],
            **self.named(request, obj),
        )
