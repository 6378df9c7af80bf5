"""Django admin for an administrator of the platform; one module per noun.

Secrets, tokens and codes are shown nowhere, not even hashed: what is stored of them is of
no use to a person and of some use to an attacker. A secret is seen once, on the answer to
the click that made it.
"""

from authserver.admin import (
    audit,
    consent,
    group,
    institution,
    key_activity,
    key_links,
    login_failure,
    password_link,
    pending_request,
    secret_link,
    service,
    service_key,
    token,
    user,
)

__all__ = [
    "audit",
    "consent",
    "group",
    "institution",
    "key_activity",
    "key_links",
    "login_failure",
    "password_link",
    "pending_request",
    "secret_link",
    "service",
    "service_key",
    "token",
    "user",
]
