"""The app's settings as typed properties, read per call so that overrides hold."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings

DEFAULTS: dict[str, Any] = {
    "SERVICE": "calendar_events",
    "VENDOR_NS": "platform",
    "ROOT_PATH": "/platform/events/v1",
    "PUBLIC_URL": "http://testserver",
    "CURRENCY": "USD",
    "MAX_PER_PAGE": 50,
    "FEEDS_AT_ONCE": 32,
    "IDEMPOTENCY_HOURS": 24,
    "INSTITUTIONS": "",
    "IMAGE_MAX_BYTES": 10 * 1024 * 1024,
    "IMAGE_FETCH_SECONDS": 10,
    "IMAGE_FETCH_NETWORKS": (),
    "SCANS_AT_ONCE": 1,
    "IMAGE_FETCHES_AT_ONCE": 1,
}


class Conf:
    """``settings.CALENDAR_EVENTS`` over its defaults."""

    def _get(self, name: str) -> Any:
        return getattr(settings, "CALENDAR_EVENTS", {}).get(name, DEFAULTS[name])

    @property
    def service(self) -> str:
        """The service (scope) that credentials need for this interface."""
        return str(self._get("SERVICE"))

    @property
    def namespace(self) -> str:
        """``<vendor_ns>/events/v1``, as the root document names it (spec 4.3)."""
        return f"{self._get('VENDOR_NS')}/events/v1"

    @property
    def public_url(self) -> str:
        """The address that links are built from, without a trailing slash."""
        return str(self._get("PUBLIC_URL"))

    @property
    def public_host(self) -> str:
        """The host of ``public_url`` without its port, as in ``global_id``."""
        return urlsplit(self.public_url).hostname or ""

    @property
    def root_path(self) -> str:
        """The path of ``{events_root}``, without a trailing slash."""
        return str(self._get("ROOT_PATH"))

    @property
    def root_url(self) -> str:
        """``{events_root}`` as an absolute address, without a trailing slash."""
        return f"{self.public_url}{self.root_path}"

    @property
    def currency(self) -> str:
        """The ISO 4217 code of amounts that name no currency."""
        return str(self._get("CURRENCY"))

    @property
    def max_per_page(self) -> int:
        """The silent cap of ``per_page``."""
        return int(self._get("MAX_PER_PAGE"))

    @property
    def feeds_at_once(self) -> int:
        """How many feeds a process sends at once; one more is refused for the moment."""
        return int(self._get("FEEDS_AT_ONCE"))

    @property
    def idempotency_hours(self) -> int:
        """How long the first answer to an ``Idempotency-Key`` is repeated."""
        return int(self._get("IDEMPOTENCY_HOURS"))

    @property
    def institutions(self) -> str:
        """The dotted path of the adapter of ``institutions``; empty for none."""
        return str(self._get("INSTITUTIONS"))

    @property
    def image_max_bytes(self) -> int:
        """The largest picture that is taken, fetched or uploaded."""
        return int(self._get("IMAGE_MAX_BYTES"))

    @property
    def image_fetch_seconds(self) -> float:
        """How long fetching the pictures of one write may take altogether."""
        return float(self._get("IMAGE_FETCH_SECONDS"))

    @property
    def image_fetch_networks(self) -> tuple[str, ...]:
        """Networks (CIDR) that pictures may come from although they are not public."""
        return tuple(self._get("IMAGE_FETCH_NETWORKS"))

    @property
    def scans_at_once(self) -> int:
        """How many statements that read very many rows a database runs at once."""
        return max(1, int(self._get("SCANS_AT_ONCE")))

    @property
    def image_fetches_at_once(self) -> int:
        """How many writes may have pictures fetched at once, in one process."""
        return int(self._get("IMAGE_FETCHES_AT_ONCE"))

    @property
    def site_zone(self) -> ZoneInfo:
        """The zone that naive input is read in (decisions 7, "Site zone")."""
        return ZoneInfo(settings.TIME_ZONE)


conf = Conf()
