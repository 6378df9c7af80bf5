"""The app's settings and their defaults."""

import os
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings

from platform_errors.conf import Conf, Setting, texts


def at_least_one(value: Any) -> int:
    """Read a number of things of which there must be one."""
    return max(1, int(value))


class CalendarConf(Conf):
    """``settings.CALENDAR_EVENTS`` over its defaults."""

    dictionary = "CALENDAR_EVENTS"

    service = Setting("calendar_events", str)
    """The service (scope) that credentials need for this interface."""
    vendor_ns = Setting("platform", str)
    """The first part of ``namespace``."""
    public_url = Setting("http://testserver", str)
    """The address that links are built from, without a trailing slash."""
    root_path = Setting("/platform/events/v1", str)
    """The path of ``{events_root}``, without a trailing slash."""
    currency = Setting("USD", str)
    """The ISO 4217 code of amounts that name no currency."""
    max_per_page = Setting(50, int)
    """The silent cap of ``per_page``."""
    feeds_at_once = Setting(32, int)
    """How many feeds a process sends at once; one more is refused for the moment."""
    changes_days = Setting(30, at_least_one)
    """How long the feed of changes reaches back."""
    changes_waiting = Setting(1, int)
    """How many callers of it a process lets wait at once; each takes a thread meanwhile."""
    idempotency_hours = Setting(24, int)
    """How long the first answer to an ``Idempotency-Key`` is repeated."""
    series_horizon_months = Setting(24, int)
    """As far ahead as this, an event that repeats has its occurrences."""
    series_max_occurrences = Setting(2000, at_least_one)
    """How many dates a series may have."""
    institutions = Setting("", str)
    """The dotted path of the adapter of ``institutions``; empty for none."""
    documents = Setting({}, dict)
    """Dotted paths of a project's own documents of ``event``, ``venue``, ``organizer``."""
    max_html = Setting(100_000, int)
    """How many characters a description or an excerpt may have."""
    max_tags = Setting(5_000, int)
    """How many start and end tags of HTML it may have."""
    image_max_bytes = Setting(10 * 1024 * 1024, int)
    """The largest picture that is taken, fetched or uploaded."""
    image_fetch_seconds = Setting(10, float)
    """How long fetching the pictures of one write may take altogether."""
    image_fetch_networks = Setting((), texts)
    """Networks (CIDR) that pictures may come from although they are not public."""
    scans_at_once = Setting((os.cpu_count() or 1) // 2, at_least_one)
    """How many statements that read very many rows a database runs at once.

    About half of its cores, taken to be as many as this machine's.
    """
    image_fetches_at_once = Setting(2, int)
    """How many writes may have pictures fetched at once, in one process."""

    encryption = Setting("", str)
    """The dotted path of a module with ``encrypt(text)`` and ``decrypt(stored)``, which
    returns bytes; empty for none, and then there are no webhooks."""
    webhook_networks = Setting((), texts)
    """Networks (CIDR) that webhooks may be sent to although they are not public."""
    webhook_http = Setting(False, bool)
    """Whether webhooks may be sent to http addresses, too."""
    webhook_seconds = Setting(10, float)
    """How long one attempt may take altogether."""
    webhooks_at_once = Setting(8, at_least_one)
    """How many messages a process sends at once."""
    webhooks_per_key = Setting(20, int)
    """How many subscriptions a service key may have in an institution."""
    webhook_overlap_hours = Setting(24, int)
    """How long messages are signed with the secret before a rotation, too."""
    webhook_days = Setting(7, int)
    """How long messages are kept that were delivered or given up."""

    @property
    def namespace(self) -> str:
        """``<vendor_ns>/events/v1``, as the root document names it (spec 4.3)."""
        return f"{self.vendor_ns}/events/v1"

    @property
    def public_host(self) -> str:
        """The host of ``public_url`` without its port, as in ``global_id``."""
        return urlsplit(self.public_url).hostname or ""

    @property
    def root_url(self) -> str:
        """``{events_root}`` as an absolute address, without a trailing slash."""
        return f"{self.public_url}{self.root_path}"

    @property
    def site_zone(self) -> ZoneInfo:
        """The zone that naive input is read in (decisions 7, "Site zone")."""
        return ZoneInfo(settings.TIME_ZONE)


conf = CalendarConf()
