"""What the page of an account tells of its sessions, logins and accesses."""

from django.contrib import admin
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html_join
from django.utils.http import urlencode

from authserver.models import AuditEvent, Session, User

RECENT = 5
LISTS = (
    ("Access tokens", "authserver_accesstoken"),
    ("Refresh tokens", "authserver_refreshtoken"),
    ("Consents", "authserver_consent"),
    ("Audit record", "authserver_auditevent"),
)


class UserHistory(admin.ModelAdmin):
    """Columns for whoever may look at the account."""

    @admin.display(description="access")
    def lists(self, user: User) -> str:
        """Link to what the account has open, allowed and did."""
        query = urlencode({"q": user.login})
        return format_html_join(
            ", ",
            '<a href="{}?{}">{}</a>',
            ((reverse(f"admin:{name}_changelist"), query, text) for text, name in LISTS),
        )

    @admin.display(description="signed in")
    def sessions(self, user: User) -> str:
        """Say in how many browsers the account is signed in now."""
        count = Session.objects.filter(
            user_id=user.pk, expire_date__gt=timezone.now()
        ).count()
        return f"in {count} {'browser' if count == 1 else 'browsers'}"

    @admin.display(description="recent logins")
    def logins(self, user: User) -> str:
        """Say when and from which addresses the account signed in, the last first."""
        events = AuditEvent.objects.filter(
            subject=user.login, action=AuditEvent.Action.LOGIN_SUCCEEDED
        ).order_by("-pk")
        return format_html_join(
            ", ",
            "{} ({})",
            (
                (
                    date_format(timezone.localtime(each.at), "DATETIME_FORMAT"),
                    each.address or "unknown",
                )
                for each in events[:RECENT]
            ),
        )
