"""The app's settings as typed properties, read per call so that overrides hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULTS: dict[str, Any] = {
    "KEY_STORE": "",
    "HMAC_SCHEME_URL": "http://platform.example/hmac/v2/v1",
    "HMAC_SIGNATURE_URL": "https://platform.example/signature",
    "MAX_CLOCK_SKEW_SECONDS": 300,
    "ERROR_RESPONSE_NS": "http://platform.example/xmlschemas/response",
    "REQUEST_ID_HEADER": "x-svc-RequestId",
    "REASON_HEADER": "x-svc-Reason",
    "ERROR_DOCUMENTATION_URL": "",
    "ISSUER": "",
    "TRUSTED_PROXIES": (),
    "PRINCIPAL_NS_PREFIX": "urn:platform:",
    "MOUNTS": {},
    "CORS_PATHS": (),
    "COOKIELESS_PATHS": (),
    "RATE_LIMITS": {},
    "OAUTH2_ENDPOINTS": {},
}


class Conf:
    """``settings.PLATFORM_ERRORS`` over its defaults."""

    def _get(self, name: str) -> Any:
        return getattr(settings, "PLATFORM_ERRORS", {}).get(name, DEFAULTS[name])

    @property
    def key_store(self) -> str:
        """Dotted path of the ``KeyStore`` adapter."""
        return str(self._get("KEY_STORE"))

    @property
    def hmac_scheme_url(self) -> str:
        """The scheme identifier of a signed ``Authorization`` header (spec 5.2)."""
        return str(self._get("HMAC_SCHEME_URL"))

    @property
    def hmac_signature_url(self) -> str:
        """The address whose host, port and path are signed."""
        return str(self._get("HMAC_SIGNATURE_URL"))

    @property
    def max_clock_skew_seconds(self) -> int:
        """The accepted clock difference, in seconds each way."""
        return int(self._get("MAX_CLOCK_SKEW_SECONDS"))

    @property
    def error_response_ns(self) -> str:
        """The XML namespace of error and identity documents (spec 2.7)."""
        return str(self._get("ERROR_RESPONSE_NS"))

    @property
    def request_id_header(self) -> str:
        """The name of the request identifier header (spec 7.7)."""
        return str(self._get("REQUEST_ID_HEADER"))

    @property
    def reason_header(self) -> str:
        """The name of the header that says why a request was refused."""
        return str(self._get("REASON_HEADER"))

    @property
    def error_documentation_url(self) -> str:
        """The page whose fragments explain the reasons; empty for no link to one."""
        return str(self._get("ERROR_DOCUMENTATION_URL"))

    @property
    def issuer(self) -> str:
        """The issuer that challenges name as their realm."""
        return str(self._get("ISSUER"))

    @property
    def trusted_proxies(self) -> tuple[str, ...]:
        """Networks of proxies in front, whose request identifiers are believed."""
        return tuple(self._get("TRUSTED_PROXIES"))

    @property
    def principal_ns_prefix(self) -> str:
        """What precedes an institution's identifier in the namespace of its users."""
        return str(self._get("PRINCIPAL_NS_PREFIX"))

    @property
    def mounts(self) -> Mapping[str, str]:
        """Path prefix → dialect (``platform`` or ``events``) of every API."""
        mounts: Mapping[str, str] = self._get("MOUNTS")
        return mounts

    @property
    def cors_paths(self) -> tuple[str, ...]:
        """Path prefixes that scripts of any origin may call."""
        return tuple(self._get("CORS_PATHS"))

    @property
    def cookieless_paths(self) -> tuple[str, ...]:
        """Path prefixes besides the mounts where cookies are neither read nor set."""
        return tuple(self._get("COOKIELESS_PATHS"))

    @property
    def rate_limits(self) -> Mapping[str, str]:
        """``address`` and ``key`` → rate such as ``600/minute``; empty means no limit."""
        limits: Mapping[str, str] = self._get("RATE_LIMITS")
        return limits

    @property
    def oauth2_endpoints(self) -> Mapping[str, Any]:
        """``authorization`` and ``token`` addresses, and ``scopes``, for OpenAPI."""
        endpoints: Mapping[str, Any] = self._get("OAUTH2_ENDPOINTS")
        return endpoints


conf = Conf()
