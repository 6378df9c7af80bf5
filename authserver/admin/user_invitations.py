"""Invitations that connect accounts with the identity provider of their institution."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse

from authserver import audit
from authserver.accounts import rights
from authserver.conf import conf
from authserver.federation import invitations
from authserver.federation.arrivals import is_connected
from authserver.models import AuditEvent, SignInMethod, User
from authserver.views.pages import steps


class UserInvitations(admin.ModelAdmin):
    """An action on accounts that have no more rights than the person who acts."""

    @admin.action(description="Invite to the identity provider", permissions=["change"])
    def connect_with_provider(
        self, request: HttpRequest, queryset: QuerySet[User]
    ) -> TemplateResponse:
        """Show a link for each, to be handed to its owner."""
        methods: dict[int | None, list[SignInMethod]] = {}
        for method in SignInMethod.objects.usable().order_by("name", "pk"):
            methods.setdefault(method.institution_id, []).append(method)
        rows: list[dict[str, Any]] = []
        for user in queryset.select_related("institution").order_by("login"):
            links = [
                (method, _link(request, user, method))
                for method in methods.get(user.institution_id, [])
                if not is_connected(user, method)
            ]
            allowed = user.is_active and not rights.exceed(user, request.user)
            rows.append({"user": user, "links": links if allowed else []})
        return TemplateResponse(
            request,
            "admin/authserver/user/invitations.html",
            {
                **self.admin_site.each_context(request),
                "title": "Invitations",
                "opts": self.opts,
                "rows": rows,
                "days": conf.invitation_lifetime.days,
            },
            headers={"Cache-Control": "no-store"},
        )


def _link(request: HttpRequest, user: User, method: SignInMethod) -> str:
    """Return the address to hand over, on record."""
    audit.record_account(
        AuditEvent.Action.INVITED,
        user,
        actor=request.user.get_username(),
        provider=method.name,
    )
    token = invitations.make(user, method)
    return f"{conf.issuer}{steps.address('invitation', token=token)}"
