"""Pages of the admin that rotate and retire the secrets of a service key."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from authserver.accounts import signing_in
from authserver.conf import conf
from authserver.keys import secrets, status
from authserver.models import ServiceKey
from authserver.models.service_key import Status

CHANGED = "The secrets of this key were changed meanwhile; nothing was done now."


@sensitive_variables("made", "link", "more")
def make_secret(
    model_admin: ModelAdmin, request: HttpRequest, key: ServiceKey, seen: datetime | None
) -> HttpResponse:
    """Make the next secret; answer with it, or a link to it, and leave it nowhere else.

    Raises ``secrets.ChangedMeanwhile``.
    """
    actor, now = request.user.get_username(), timezone.now()
    by_link = "by_link" in request.POST
    made = secrets.rotate(key_id=key.pk, seen=seen, by_link=by_link, actor=actor, now=now)
    key.refresh_from_db()
    if not by_link:
        more: dict[str, Any] = {"secret": made}
        return _page(model_admin, request, key, "secret", "The new secret", **more)
    link = f"{conf.issuer}{reverse('authserver:secret')}?token={made}"
    more = {"link": link, "expires_at": now + conf.secret_link_lifetime}
    return _page(model_admin, request, key, "link", "Link to the new secret", **more)


@sensitive_variables("more", "context")
def _page(
    model_admin: ModelAdmin,
    request: HttpRequest,
    key: ServiceKey,
    page: str,
    title: str,
    **more: Any,
) -> HttpResponse:
    context = {
        **model_admin.admin_site.each_context(request),
        "title": title,
        "opts": model_admin.opts,
        "key": key,
        "change_url": reverse("admin:authserver_servicekey_change", args=[key.pk]),
        **more,
    }
    return TemplateResponse(
        request,
        f"admin/authserver/servicekey/{page}.html",
        context,
        headers={"Cache-Control": "no-store"},
    )


class KeySecretPages:
    """Rotate, retire and switch, each asked first and done by a form."""

    def __init__(self, model_admin: ModelAdmin) -> None:
        self.admin = model_admin

    def rotate(self, request: HttpRequest, key_id: int) -> HttpResponse:
        """Make a secret, the first or the next, and show it once."""
        key = self._key(request, key_id)
        if request.method != "POST":
            title = "Rotate the secret" if key.has_secret else "Make a secret"
            more = {
                "seen": _seen(key),
                "is_unseen": secrets.is_unseen(key),
                "hours": int(conf.secret_link_lifetime.total_seconds() // 3600),
            }
            return _page(self.admin, request, key, "rotate", title, **more)
        if request.POST.get("seen", "") != _seen(key):
            return self._back(request, key, CHANGED, messages.WARNING)
        try:
            return make_secret(self.admin, request, key, key.secret_created_at)
        except secrets.ChangedMeanwhile:
            return self._back(request, key, CHANGED, messages.WARNING)

    def retire(self, request: HttpRequest, key_id: int) -> HttpResponse:
        """End the previous secret."""
        key = self._key(request, key_id)
        if request.method != "POST":
            title = "Retire the previous secret"
            return _page(self.admin, request, key, "retire", title)
        try:
            secrets.retire_previous(
                key_id=key.pk, actor=request.user.get_username(), now=timezone.now()
            )
        except secrets.ChangedMeanwhile:
            return self._back(request, key, CHANGED, messages.WARNING)
        return self._back(
            request, key, "The previous secret no longer works.", messages.SUCCESS
        )

    def switch(self, request: HttpRequest, key_id: int) -> HttpResponse:
        """Cancel the key or restore it; the form says which, for a second click."""
        key = self._key(request, key_id)
        if request.method != "POST":
            is_active = key.status == Status.ACTIVE
            title = "Cancel the key" if is_active else "Restore the key"
            to = Status.CANCELED if is_active else Status.ACTIVE
            return _page(self.admin, request, key, "switch", title, to=to)
        if request.POST.get("to") not in Status.values:
            return self._back(request, key, "Nothing was chosen.", messages.WARNING)
        to = Status(request.POST["to"])
        status.change(
            key_id=key.pk, to=to, actor=request.user.get_username(), now=timezone.now()
        )
        text = {
            Status.CANCELED: "The key is canceled.",
            Status.ACTIVE: "The key works again.",
        }[to]
        return self._back(request, key, text, messages.SUCCESS)

    def _key(self, request: HttpRequest, key_id: int) -> ServiceKey:
        key = self.admin.get_queryset(request).filter(pk=key_id).first()
        if key is None:
            raise Http404
        if not self.admin.has_change_permission(request, key):
            raise PermissionDenied
        signing_in.require_fresh(request)
        return key

    def _back(
        self, request: HttpRequest, key: ServiceKey, text: str, level: int
    ) -> HttpResponse:
        self.admin.message_user(request, text, level)
        return HttpResponseRedirect(
            reverse("admin:authserver_servicekey_change", args=[key.pk])
        )


def _seen(key: ServiceKey) -> str:
    return key.secret_created_at.isoformat() if key.secret_created_at else ""
