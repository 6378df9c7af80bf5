"""What is done to accounts from their list, one by one, on record."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils import timezone

from authserver import audit
from authserver.accounts import access, factors, login_limits, password_links, rights
from authserver.conf import conf
from authserver.federation import invitations
from authserver.federation.arrivals import is_connected
from authserver.models import AuditEvent, SignInMethod, User
from authserver.views.pages import steps
from institution_admin import bulk

MORE_RIGHTS = "more_rights"
LEFT = {
    MORE_RIGHTS: "Not changed, because they have more rights than you",
    "no_factors": "Not changed, because they have no second factor",
    "own": "Not changed, because it is your own account",
    "disabled": "Not invited, because they or their institution are inactive",
    "no_passwords": "Not invited, because their institution has no passwords here",
    "no_email": "Not invited, because they have no e-mail address",
    "too_many": "Not invited, because too many messages were sent to them within the hour",
}


class UserActions(admin.ModelAdmin):
    """Actions on accounts that have no more rights than the person who acts."""

    actions = [
        *("invite", "require_new_password", "unlock", "remove_factors"),
        *("sign_out_everywhere", "connect_with_provider"),
    ]

    def get_actions(self, request: HttpRequest) -> Any:
        """Offer invitations where mail can be sent."""
        actions = super().get_actions(request)
        if not conf.sends_mail:
            actions.pop("invite", None)
        return actions

    @admin.action(description="Invite by e-mail", permissions=["change"])
    def invite(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Send each a link to choose a password."""
        actor = request.user.get_username()
        self._each(
            *(request, queryset, "Invited"),
            lambda user: password_links.invite(user, actor=actor),
        )

    @admin.action(description="Require a new password", permissions=["change"])
    def require_new_password(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Let each choose a password at the next login, before anything else.

        The own account is left, or who acts could not go on with the others.
        """
        actor = request.user.get_username()

        def require(user: User) -> str:
            if user.pk == request.user.pk:
                return "own"
            User.objects.filter(pk=user.pk).update(must_change_password=True)
            audit.record_account(
                AuditEvent.Action.PASSWORD_CHANGE_REQUIRED, user, actor=actor
            )
            return ""

        self._each(request, queryset, "A new password is required", require)

    @admin.action(description="Lift the lock of logins", permissions=["change"])
    def unlock(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Forget the failed logins of each."""
        actor = request.user.get_username()

        def lift(user: User) -> str:
            login_limits.lift_account(user.login, by=actor)
            return ""

        self._each(request, queryset, "May sign in again", lift)

    @admin.action(description="Remove second factors", permissions=["change"])
    def remove_factors(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Help those who lost theirs: their password alone opens the account then."""
        actor = request.user.get_username()

        def remove(user: User) -> str:
            return "" if factors.remove_all(user, actor=actor) else "no_factors"

        self._each(request, queryset, "Second factors removed", remove)

    @admin.action(description="Sign out everywhere", permissions=["change"])
    def sign_out_everywhere(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """End the sessions, codes and tokens of each."""
        actor, now = request.user.get_username(), timezone.now()

        def sign_out(user: User) -> str:
            sessions = access.end_sessions(user)
            access.end_tokens(user, now, reason="signed_out_everywhere", actor=actor)
            audit.record_account(
                AuditEvent.Action.ACCOUNT_CHANGED,
                user,
                actor=actor,
                changes="Signed out everywhere.",
                sessions=sessions,
            )
            return ""

        self._each(request, queryset, "Signed out everywhere", sign_out)

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

    def _each(
        self,
        request: HttpRequest,
        queryset: QuerySet[User],
        done: str,
        act: Callable[[User], str],
    ) -> None:
        """Do it to each; ``act`` returns why it did not, as a word of ``LEFT``."""
        counts: Counter[str] = Counter()
        for pk in queryset.order_by("pk").values_list("pk", flat=True):
            with transaction.atomic():
                # As it is now: its rights may have grown since the list was shown.
                user = queryset.model.objects.select_for_update().filter(pk=pk).first()
                if user is None:
                    continue
                is_above = rights.exceed(user, request.user)
                counts[MORE_RIGHTS if is_above else act(user)] += 1
        left = {LEFT[reason]: count for reason, count in counts.items() if reason}
        bulk.report(request, done, counts[""], left)


def _link(request: HttpRequest, user: User, method: SignInMethod) -> str:
    """Return the address to hand over, on record."""
    audit.record_account(
        AuditEvent.Action.INVITED,
        user,
        actor=request.user.get_username(),
        provider=method.name,
    )
    token = invitations.make(user, method, by=request.user)
    return f"{conf.issuer}{steps.address('invitation', token=token)}"
