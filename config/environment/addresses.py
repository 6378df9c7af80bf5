"""The addresses of a deployment, for the apps and for platform_errors."""

from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured

CONTACT_SCHEMES = {"mailto", "https", "tel"}
METADATA = (
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
)


def parsed(public_url: str) -> SplitResult:
    """Take ``PUBLIC_URL`` apart. Raises ``ImproperlyConfigured``."""
    parts = urlsplit(public_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ImproperlyConfigured("PUBLIC_URL must be an absolute http or https address.")
    return parts


def contacts(addresses: list[str]) -> list[str]:
    """Return the addresses of ``SECURITY_CONTACT``. Raises ``ImproperlyConfigured``."""
    if all(map(_is_contact, addresses)):
        return addresses
    raise ImproperlyConfigured(
        "SECURITY_CONTACT must be addresses with mailto:, https: or tel:."
    )


def _is_contact(address: str) -> bool:
    try:
        return address.isprintable() and urlsplit(address).scheme in CONTACT_SCHEMES
    except ValueError:  # such as https://[
        return False


def edge_addresses(*, platform: str, auth: str, public_url: str) -> dict[str, Any]:
    """Return the entries of ``PLATFORM_ERRORS`` that name addresses.

    ``platform`` is the path of all APIs, without a slash at its end; ``auth`` that of the
    authorization server, with one.
    """
    return {
        # Which dialect answers below a path when no view does; the longest path decides.
        "MOUNTS": {platform: "platform", f"{platform}/events/v1": "events"},
        # What scripts of any origin may call (decisions 6).
        "CORS_PATHS": (
            platform,  # whole: a typing error's 404 can be read, too
            f"{auth}token",
            f"{auth}revoke",
            f"{auth}userinfo",
            f"{auth}jwks",
            *METADATA,
        ),
        # Where programs call outside of the mounts: no cookie is read or set there either.
        "COOKIELESS_PATHS": (
            *(f"{auth}{name}" for name in ("token", "revoke", "introspect", "accessToken")),
            *(f"{auth}{name}" for name in ("userinfo", "jwks")),
            *METADATA,
        ),
        # Where clients sign in, for the OpenAPI document.
        "OAUTH2_ENDPOINTS": {
            "authorization": f"{public_url}{auth}auth",
            "token": f"{public_url}{auth}token",
            "scopes": {
                "calendar_events": "Read and write the calendar of the chosen institution.",
                "refresh_token": "Also issue a refresh token.",
            },
        },
    }
