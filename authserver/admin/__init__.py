"""Django admin for an administrator of the platform; one module per noun.

Secrets, tokens and codes are shown nowhere, not even hashed: what is stored of them is of
no use to a person and of some use to an attacker. A secret is seen once, on the answer to
the click that made it.
"""

from django.contrib import admin

from authserver.admin import (
    audit,
    consent,
    institution,
    login_failure,
    pending_request,
    service,
    service_key,
    token,
    user,
)

__all__ = [
    "audit",
    "consent",
    "institution",
    "login_failure",
    "pending_request",
    "service",
    "service_key",
    "token",
    "user",
]

admin.site.site_title = "Calendar platform"
admin.site.site_header = "Calendar platform administration"
admin.site.index_title = "What would you like to look after?"
