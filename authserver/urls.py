"""Routes below ``{auth_url}`` (spec 4.1, spec 4.2); ``accounts`` and ``well_known``."""

from django.urls import URLPattern, path, re_path
from oauth2_provider.views import JwksInfoView

from authserver.legacy import urls as legacy
from authserver.oauth.dialect import ENDPOINT
from authserver.views.endpoints.metadata import Metadata
from authserver.views.endpoints.openid import Discovery, EndSession, UserInfo
from authserver.views.endpoints.token import Introspect, Revoke, Token
from authserver.views.pages import factors
from authserver.views.pages.access import (
    ChangeName,
    ChangePassword,
    DeleteAccount,
    MyAccount,
    MyData,
)
from authserver.views.pages.authorize import Authorize
from authserver.views.pages.federation import Invitation, Leave, OidcCallback
from authserver.views.pages.grant import Cancel, Continue, Finish, Grant
from authserver.views.pages.institution import ChooseInstitution, SignIn
from authserver.views.pages.login import Login, Logout, SwitchAccount
from authserver.views.pages.mail_address import ChangeMail, ConfirmMail
from authserver.views.pages.password import Asked, Done, Forgotten, NewPassword
from authserver.views.pages.saml import SamlAcs, SamlFinish, SamlMetadata
from authserver.views.pages.secret import ShowSecret
from platform_errors.views import NoSuchResource

app_name = "authserver"

pages: list[URLPattern] = [
    # A registry identifier is digits; anything else is no page (decisions 3.7).
    re_path(
        r"^auth(?:/(?P<registry_id>[0-9]+))?/?\Z", Authorize.as_view(), name="authorize"
    ),
    path("institution", ChooseInstitution.as_view(), name="institution"),
    path("login", Login.as_view(), name="login"),
    re_path(r"^login/at/(?P<provider_id>[0-9A-Za-z]+)\Z", Leave.as_view(), name="leave"),
    path("login/invitation", Invitation.as_view(), name="invitation"),
    re_path(
        r"^login/oidc/(?P<provider_id>[0-9A-Za-z]+)\Z",
        OidcCallback.as_view(),
        name="oidc-callback",
    ),
    re_path(
        r"^login/saml/(?P<provider_id>[0-9A-Za-z]+)\Z", SamlAcs.as_view(), name="saml-acs"
    ),
    re_path(
        r"^login/saml/(?P<provider_id>[0-9A-Za-z]+)/finish\Z",
        SamlFinish.as_view(),
        name="saml-finish",
    ),
    re_path(
        r"^login/saml/(?P<provider_id>[0-9A-Za-z]+)/metadata\Z",
        SamlMetadata.as_view(),
        name="saml-metadata",
    ),
    path("login/switch", SwitchAccount.as_view(), name="switch"),
    path("grant", Grant.as_view(), name="grant"),
    path("cancel", Cancel.as_view(), name="cancel"),
    path("continue", Continue.as_view(), name="continue"),
    path("finish", Finish.as_view(), name="finish"),
    path("password/forgotten", Forgotten.as_view(), name="forgotten"),
    path("password/asked", Asked.as_view(), name="asked"),
    path("password/new", NewPassword.as_view(), name="new-password"),
    path("password/done", Done.as_view(), name="password-done"),
    path("secret", ShowSecret.as_view(), name="secret"),
    path("factors", factors.Factors.as_view(), name="factors"),
    path("access", MyAccount.as_view(), name="access"),
    path("access/name", ChangeName.as_view(), name="name"),
    path("access/data", MyData.as_view(), name="data"),
    path("access/delete", DeleteAccount.as_view(), name="delete"),
    path("access/mail", ChangeMail.as_view(), name="mail"),
    path("access/password", ChangePassword.as_view(), name="password"),
    re_path(r"^logout/?\Z", Logout.as_view(), name="logout"),
    re_path(r"^end-session/?\Z", EndSession.as_view(), name="end-session"),
]

# For programs; with and without a trailing slash, because a redirect would lose the body.
endpoints: list[URLPattern] = [
    re_path(r"^token/?\Z", Token.as_view(), name="token"),
    re_path(r"^revoke/?\Z", Revoke.as_view(), name="revoke"),
    re_path(r"^introspect/?\Z", Introspect.as_view(), name="introspect"),
    re_path(r"^userinfo/?\Z", UserInfo.as_view(), name="userinfo"),
    re_path(r"^jwks/?\Z", JwksInfoView.as_view(), name="jwks"),
    re_path(
        r"^(?:token|revoke|introspect|userinfo|jwks)/",
        NoSuchResource.as_view(error_dialect=ENDPOINT),
    ),
]

urlpatterns: list[URLPattern] = [*pages, *endpoints, *legacy.urlpatterns]

# Names that django-allauth asks for; below the same address, outside the namespace.
accounts: list[URLPattern] = [
    path("access/mail/confirm", ConfirmMail.as_view(), name="account_confirm_email"),
    path("account/login", SignIn.as_view(), name="account_login"),
    path("account/second-factor", factors.SecondFactor.as_view(), name="mfa_authenticate"),
    path("account/passkey", factors.PasskeyLogin.as_view(), name="mfa_login_webauthn"),
    path("account/again", factors.PasswordAgain.as_view(), name="account_reauthenticate"),
    path("account/again/code", factors.CodeAgain.as_view(), name="mfa_reauthenticate"),
    path(
        "account/again/passkey",
        factors.PasskeyAgain.as_view(),
        name="mfa_reauthenticate_webauthn",
    ),
    path("factors", factors.Factors.as_view(), name="mfa_index"),
    path("factors/app", factors.AddCodes.as_view(), name="mfa_activate_totp"),
    path("factors/app/remove", factors.RemoveCodes.as_view(), name="mfa_deactivate_totp"),
    path(
        "factors/recovery", factors.RecoveryCodes.as_view(), name="mfa_view_recovery_codes"
    ),
    path(
        "factors/recovery/new",
        factors.NewRecoveryCodes.as_view(),
        name="mfa_generate_recovery_codes",
    ),
    path("factors/passkey", factors.AddPasskey.as_view(), name="mfa_add_webauthn"),
    path(
        "factors/passkey/<int:pk>/remove",
        factors.RemovePasskey.as_view(),
        name="mfa_remove_webauthn",
    ),
]

# Below ``/.well-known/``, at the root as RFC 8414 section 3 has it.
well_known: list[URLPattern] = [
    re_path(r"^oauth-authorization-server/?\Z", Metadata.as_view(), name="oauth-metadata"),
    re_path(r"^openid-configuration/?\Z", Discovery.as_view(), name="openid-configuration"),
]
