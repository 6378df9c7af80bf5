"""A page of the admin that says why a request is refused, and leaves no trace of it.

It asks the code that serves such requests, so it cannot say anything else. No signature is
shown but the one that was pasted.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from django import forms
from django.contrib.admin import ModelAdmin
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import Resolver404, resolve
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from authserver.admin import dry_run
from authserver.authorization import requests
from authserver.oauth import parameters
from authserver.oauth.client_generation import PRESENT
from authserver.views.pages.authorize import Authorize
from platform_errors.errors import catalogue
from platform_errors.errors.base import ApiError

MAX_SIGNED_TEXT = 16_384
RUNGS = {
    "header": "The header can be read",
    "key": "The key exists",
    "status": "The key works",
    "signature": "The signature is that of the request",
    "clock": "The timestamp is now",
    "nonce": "The nonce is new",
    "permissions": "Service, institution and user may do this",
}


class AddressField(forms.CharField):
    """An address with its query, whole or from the path on; split."""

    def __init__(self, **more: Any) -> None:
        """Bound it like a request line."""
        more.setdefault("widget", forms.TextInput(attrs={"size": 80}))
        super().__init__(max_length=dry_run.MAX_LENGTH, **more)

    def clean(self, value: Any) -> SplitResult:
        """Return the parts. Raises ``ValidationError``."""
        text = super().clean(value)
        try:
            parts = urlsplit(text)
            parts.port  # noqa: B018 -- raises for a port that is not a number
        except ValueError:
            raise ValidationError("This is not an address.") from None
        if not parts.path.startswith("/"):
            raise ValidationError("Paste the whole address, or its path and query.")
        return parts


class SignedForm(forms.Form):
    """A signed request."""

    method = forms.ChoiceField(choices=[(name, name) for name in dry_run.METHODS])
    address = AddressField(help_text="With its query, exactly as sent.")
    authorization = forms.CharField(
        label="Authorization header",
        max_length=dry_run.MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4, "class": "vLargeTextField"}),
    )
    signed_text = forms.CharField(
        label="String to sign, as your client made it",
        required=False,
        strip=False,
        max_length=MAX_SIGNED_TEXT,
        widget=forms.Textarea(attrs={"rows": 9, "class": "vLargeTextField"}),
        help_text="Optional: shows which line differs.",
    )

    def clean_authorization(self) -> str:
        """Take the header with its name, too."""
        value: str = self.cleaned_data["authorization"]
        name, colon, rest = value.partition(":")
        is_named = colon and name.strip().lower() == "authorization"
        return rest.strip() if is_named else value


class AuthorizationForm(forms.Form):
    """An authorization request."""

    address = AddressField(
        label="Authorization address",
        help_text="The address to which the application sends the user.",
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an authorization request: it, or why it is refused."""

    accepted: requests.AuthorizationRequest | None = None
    refused: requests.AuthorizationError | None = None


class RequestCheck:
    """The page for staff who may see service keys, limited to the keys they see."""

    def __init__(self, model_admin: ModelAdmin) -> None:
        self.admin = model_admin

    @method_decorator([sensitive_post_parameters(), sensitive_variables()])
    def page(self, request: HttpRequest) -> HttpResponse:
        """Show both forms, and what came of the one that was sent."""
        if not self.admin.has_view_permission(request):
            raise PermissionDenied
        what = request.POST.get("what", "")
        signed = SignedForm(request.POST if what == "signed" else None, prefix="s")
        asked = AuthorizationForm(request.POST if what == "asked" else None, prefix="a")
        trial = self._try_signed(request, signed) if signed.is_valid() else dry_run.Trial()
        context = {
            **self.admin.admin_site.each_context(request),
            "title": "Why is a request refused?",
            "opts": self.admin.opts,
            "signed": signed,
            "asked": asked,
            "trial": trial if signed.is_valid() else None,
            "passed": [RUNGS[name] for name in trial.passed],
            "refusals": [(RUNGS[name], error) for name, error in trial.refusals],
            "answer": self._try_asked(request, asked) if asked.is_valid() else None,
        }
        return TemplateResponse(
            request,
            "admin/authserver/servicekey/request_check.html",
            context,
            headers={"Cache-Control": "no-store"},
        )

    def _may_ask(self, request: HttpRequest, client_id: str) -> bool:
        keys = self.admin.get_queryset(request)
        return "\x00" not in client_id and keys.filter(client_id=client_id).exists()

    def _try_signed(self, request: HttpRequest, form: SignedForm) -> dry_run.Trial:
        values = form.cleaned_data
        return dry_run.try_signed(
            values["method"],
            values["address"],
            values["authorization"],
            may_ask=lambda client_id: self._may_ask(request, client_id),
            signed_text=values["signed_text"],
        )

    def _try_asked(self, request: HttpRequest, form: AuthorizationForm) -> Answer:
        address: SplitResult = form.cleaned_data["address"]
        try:
            match = resolve(unquote(address.path))
        except Resolver404:
            match = None
        view: Any = getattr(match and match.func, "view_class", None)
        if match is None or view is None or not issubclass(view, Authorize):
            form.add_error("address", "This is not the address of the authorization page.")
            return Answer()
        try:
            client_id = parameters.parse(address.query.encode()).get("client_id", "")
        except ApiError:  # which the validation says in its own words
            client_id = ""
        if client_id and not self._may_ask(request, client_id):
            unknown = catalogue.KeyInvalid(key=client_id)
            return Answer(refused=requests.authorization_error_of(unknown))
        try:
            accepted = requests.validate(
                address.query.encode(),
                registry_id=match.kwargs.get("registry_id"),
                now=timezone.now(),
                generation=getattr(view, "generation", PRESENT),
            )
        except requests.AuthorizationError as error:
            return Answer(refused=error)
        return Answer(accepted=accepted)
