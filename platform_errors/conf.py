"""The app's settings and their defaults, and how every app of the house reads its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from django.conf import settings
from django.core.signals import setting_changed

Value = TypeVar("Value")


class Setting(Generic[Value]):
    """One entry of the app's dictionary: its default, here alone, and its type.

    The entry has the attribute's name in capitals unless it is given another. A request
    asks for some fifteen of them, so the value is kept where Python finds it first, in the
    instance, until the dictionary is replaced: by tests, and not while a request is
    answered.
    """

    def __init__(
        self, default: Any, convert: Callable[[Any], Value], *, name: str = ""
    ) -> None:
        """Keep the default; ``convert`` makes the value of it, or of what is set."""
        self.default = default
        self.convert = convert
        self.name = name
        self.attribute = ""

    def __set_name__(self, owner: type[Conf], name: str) -> None:
        """Learn the attribute's name."""
        self.attribute = name
        self.name = self.name or name.upper()

    def __get__(self, conf: Conf, owner: type[Conf]) -> Value:
        """Return what is set, or the default."""
        given = getattr(settings, conf.dictionary, {})
        value = self.convert(given.get(self.name, self.default))
        vars(conf)[self.attribute] = value
        return value


class Conf:
    """The settings of one app: attributes over one dictionary of Django's settings."""

    dictionary: ClassVar[str]

    def __init__(self) -> None:
        """Forget the values when a dictionary is replaced, as by ``override_settings``."""
        setting_changed.connect(self._forget)

    def _forget(self, *, setting: str, **_kwargs: Any) -> None:
        if setting == self.dictionary:
            vars(self).clear()

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return every entry that the dictionary may have, with its default."""
        entries = [entry for entry in vars(cls).values() if isinstance(entry, Setting)]
        return {entry.name: entry.default for entry in entries}


def texts(value: Any) -> tuple[str, ...]:
    """Read several texts."""
    return tuple(value)


def mapping(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return value


class PlatformErrorsConf(Conf):
    """``settings.PLATFORM_ERRORS`` over its defaults."""

    dictionary = "PLATFORM_ERRORS"

    key_store = Setting("", str)
    """Dotted path of the ``KeyStore`` adapter."""
    hmac_scheme_url = Setting("http://platform.example/hmac/v2/v1", str)
    """The scheme identifier of a signed ``Authorization`` header (spec 5.2)."""
    hmac_signature_url = Setting("https://platform.example/signature", str)
    """The address whose host, port and path are signed."""
    max_clock_skew_seconds = Setting(300, int)
    """The accepted clock difference, in seconds each way."""
    error_response_ns = Setting("http://platform.example/xmlschemas/response", str)
    """The XML namespace of error and identity documents (spec 2.7)."""
    request_id_header = Setting("x-svc-RequestId", str)
    """The name of the request identifier header (spec 7.7)."""
    reason_header = Setting("x-svc-Reason", str)
    """The name of the header that says why a request was refused."""
    error_documentation_url = Setting("", str)
    """The page whose fragments explain the reasons; empty for no link to one."""
    issuer = Setting("", str)
    """The issuer that challenges name as their realm."""
    trusted_proxies = Setting((), texts)
    """Networks of proxies in front, whose request identifiers are believed."""
    principal_ns_prefix = Setting("urn:platform:", str)
    """What precedes an institution's identifier in the namespace of its users."""
    mounts = Setting({}, mapping)
    """Path prefix → name of the dialect of every API."""
    cors_paths = Setting((), texts)
    """Path prefixes that scripts of any origin may call."""
    cors_request_headers = Setting(
        (
            *("Authorization", "Content-Type", "Accept", "If-Match", "If-None-Match"),
            *("If-Modified-Since", "If-Unmodified-Since", "Idempotency-Key"),
        ),
        texts,
    )
    """Headers that these scripts may send."""
    cors_exposed_headers = Setting(
        (
            *("ETag", "Last-Modified", "Location", "Link", "Allow"),
            *("WWW-Authenticate", "Retry-After"),
        ),
        texts,
    )
    """Headers that these scripts may read, besides the identifier's and the reason's."""
    cookieless_paths = Setting((), texts)
    """Path prefixes besides the mounts where cookies are neither read nor set."""
    rate_limits = Setting({}, mapping)
    """``address`` and ``key`` → rate such as ``600/minute``; empty means no limit."""
    oauth2_endpoints = Setting({}, mapping)
    """``authorization`` and ``token`` addresses, and ``scopes``, for OpenAPI."""


conf = PlatformErrorsConf()
