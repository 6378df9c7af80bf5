"""The site that Django admin's pages belong to; outside the package that fills it."""

from functools import wraps
from typing import Any

from allauth.account.adapter import get_adapter
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import capfirst

from authserver.accounts import factors, signing_in
from authserver.models import User
from institution_admin import dashboard

HOME = "authserver"
OPEN_BEFORE_CHANGE = {"password_change", "logout"}
"""Pages for whoever must change the password."""
MOVED = {"auth", "django_tasks_database"}
"""Apps of libraries whose pages stand among those of this app."""


def may_enter(user: Any) -> bool:
    """Return whether the user may use the admin: as staff, or by a role."""
    return bool(user.is_active and (user.is_staff or user.get_all_permissions()))


class AdminLoginForm(AdminAuthenticationForm):
    """Django's, for whoever may enter."""

    error_messages = {
        **AdminAuthenticationForm.error_messages,
        "invalid_login": "Please enter the login and the password of an account that may"
        " enter. Capital letters matter in the password only.",
    }

    def clean(self) -> dict[str, Any]:
        """Log in within the limits. Raises ``ValidationError`` or ``LoginLocked``."""
        data = self.cleaned_data
        if not self.errors:
            self.user_cache = get_adapter().authenticate(
                self.request, username=data["username"], password=data["password"]
            )
        if self.user_cache is None:
            raise self.get_invalid_login_error()
        self.confirm_login_allowed(self.user_cache)
        return data

    def confirm_login_allowed(self, user: Any) -> None:
        """Refuse who may not enter. Raises ``ValidationError``."""
        AuthenticationForm.confirm_login_allowed(self, user)
        if not may_enter(user):
            raise self.get_invalid_login_error()


class AdminLogin(LoginView):
    """Django's page of admin, with the stages of signing in behind it."""

    authentication_form = AdminLoginForm
    template_name = "admin/login.html"

    def form_valid(self, form: Any) -> HttpResponse:
        """Go through the stages, and to where the person wanted to go."""
        return signing_in.with_password(
            self.request, form.get_user(), then=self.get_success_url()
        )


class PlatformAdminSite(admin.AdminSite):
    """Named after the platform, open to roles, own passwords in the audit record."""

    site_title = "Calendar platform"
    site_header = "Calendar platform administration"
    index_title = "Site administration"

    def has_permission(self, request: HttpRequest) -> bool:
        """Let in whoever a role gives something to do here; pages ask for more."""
        return may_enter(request.user)

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:  # as below
        """Ask who it is; Django's own would sign in without any stages."""
        if request.method == "GET" and self.has_permission(request):
            return redirect(f"{self.name}:index")
        request.current_app = self.name
        return AdminLogin.as_view(
            next_page=f"{self.name}:index",
            extra_context={
                **self.each_context(request),
                "title": "Log in",
                "subtitle": None,
                "app_path": request.get_full_path(),
                "username": request.user.get_username(),
                **(extra_context or {}),
            },
        )(request)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:  # noqa: FBT001, FBT002 -- Django's
        """Let whoever must change the password, or add a factor, do that first."""
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            match = request.resolver_match
            is_open = match is not None and match.url_name in OPEN_BEFORE_CHANGE
            if getattr(request.user, "must_change_password", False) and not is_open:
                return redirect(self._page("authserver:password", request.get_full_path()))
            user = request.user
            if isinstance(user, User) and not is_open and factors.is_missing(request, user):
                return redirect(self._page("mfa_index", request.get_full_path()))
            return inner(request, *args, **kwargs)

        return guarded

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Answer the questions of the day above the menu."""
        blocks = dashboard.blocks(self, request)
        return super().index(request, {**(extra_context or {}), "blocks": blocks})

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the menu, in the words of people."""
        apps: list[Any] = super().get_app_list(request, app_label)
        for app in apps:
            app["models"] = [
                {**model, "name": self._name(model)} for model in app["models"]
            ]
        home = [app for app in apps if app["app_label"] == HOME]
        if home and app_label is None:
            moved = [app for app in apps if app["app_label"] in MOVED]
            apps = [app for app in apps if app not in moved]
            home[0]["models"] += [model for app in moved for model in app["models"]]
            home[0]["models"].sort(key=lambda model: str(model["name"]))
        return apps

    def _name(self, model: dict[str, Any]) -> str:
        called = getattr(self._registry[model["model"]], "called", None)
        return capfirst(called[1]) if called else model["name"]

    def get_urls(self) -> list[Any]:
        """Leave out the redirect to an object's page on the site: none has one."""
        return [
            url for url in super().get_urls() if getattr(url, "name", "") != "view_on_site"
        ]

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:  # the stubs know of a page only
        """Lead to the page of My account, and back."""
        return redirect(self._page("authserver:password", reverse(f"{self.name}:index")))

    def _page(self, name: str, then: str) -> str:
        return f"{reverse(name)}?{urlencode({'next': then})}"
