"""Every test of this app runs on its own small project: a store in memory, probe views."""

import pytest
from django.conf import settings as django_settings

from platform_errors.tests.clients import Api
from platform_errors.tests.probes import Failing
from platform_errors.tests.store import MemoryKeyStore


@pytest.fixture(autouse=True)
def _small_project(settings):
    settings.ROOT_URLCONF = "platform_errors.tests.probes"
    settings.PLATFORM_ERRORS = {
        **django_settings.PLATFORM_ERRORS,
        "KEY_STORE": "platform_errors.tests.store.MemoryKeyStore",
        "HMAC_SCHEME_URL": "http://platform.example/hmac/v2/v1",
        "HMAC_SIGNATURE_URL": "https://platform.example/signature",
        "ISSUER": "https://platform.example",
        "ERROR_RESPONSE_NS": "http://platform.example/xmlschemas/response",
        "PRINCIPAL_NS_PREFIX": "urn:platform:",
        "MAX_CLOCK_SKEW_SECONDS": 300,
        "REQUEST_ID_HEADER": "x-svc-RequestId",
        "REASON_HEADER": "x-svc-Reason",
        "ERROR_DOCUMENTATION_URL": "",
        "TRUSTED_PROXIES": (),
        "MOUNTS": {"/platform": "platform", "/platform/terse": "terse"},
        "CORS_PATHS": ("/platform",),
        "CORS_EXPOSED_HEADERS": ("ETag", "Link", "X-Total"),
    }
    yield
    MemoryKeyStore.clear()


@pytest.fixture
def change(settings):
    """Change settings of the app: ``change(MAX_CLOCK_SKEW_SECONDS=10)``."""

    def change_settings(**values):
        settings.PLATFORM_ERRORS = {**settings.PLATFORM_ERRORS, **values}

    return change_settings


@pytest.fixture
def api():
    return Api()


@pytest.fixture(params=["application/xml", "application/json"], ids=["xml", "json"])
def accept(request):
    """Both forms of the platform's error document."""
    return request.param


@pytest.fixture
def fails_with(monkeypatch):
    """Make the failing view raise."""
    return lambda failure: monkeypatch.setattr(Failing, "failure", failure)
