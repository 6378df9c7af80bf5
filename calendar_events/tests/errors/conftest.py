"""The edge's own probe views, in the dialect of the events interface."""

import pytest

from platform_errors.tests.conftest import _small_project, api, fails_with

__all__ = ["_small_project", "api", "fails_with"]


@pytest.fixture(autouse=True)
def _in_the_events_dialect(settings, _small_project):
    settings.ROOT_URLCONF = "calendar_events.tests.errors.probes"
    settings.PLATFORM_ERRORS = {
        **settings.PLATFORM_ERRORS,
        "MOUNTS": {"/platform": "platform", "/platform/events/v1": "events"},
    }
