"""Django admin for an administrator of the platform; one module per noun.

Secrets, tokens and codes are shown nowhere, not even hashed: what is stored of them is of
no use to a person and of some use to an attacker. A secret is seen once, on the answer to
the click that made it.
"""

from importlib import import_module

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin

from authserver.admin import (  # noqa: F401 -- each registers its classes
    audit,
    group,
    institution,
    key_activity,
    key_links,
    service_key,
    sign_in,
    token,
    user,
)

# django-allauth's own pages show secrets, and know of no institutions.
for _app in ("account", "mfa", "socialaccount"):
    import_module(f"allauth.{_app}.admin")
for _model in (
    *(EmailAddress, EmailConfirmation, Authenticator),
    *(SocialAccount, SocialApp, SocialToken),
):
    if admin.site.is_registered(_model):
        admin.site.unregister(_model)
