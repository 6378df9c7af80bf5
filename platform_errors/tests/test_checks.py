"""Every system check has a stable id, and says it when something is set wrongly."""

import pytest
from django.core import checks

from platform_errors.checks import check_settings


class StoreWithoutNames:
    """Implements two thirds of the port."""

    def find_key(self, client_id, **how): ...

    def find_token(self, token): ...


WRONG = [
    ("E001", {"KEY_STORE": ""}),
    ("E001", {"KEY_STORE": "no.such.Store"}),
    ("E001", {"KEY_STORE": "platform_errors.conf.Conf"}),
    ("E001", {"KEY_STORE": "platform_errors.tests.test_checks.StoreWithoutNames"}),
    ("E002", {"HMAC_SCHEME_URL": "HMAC"}),
    ("E002", {"HMAC_SCHEME_URL": "http://platform.example/a b"}),
    ("E002", {"HMAC_SCHEME_URL": "http://platform.example/a,b"}),
    ("E003", {"HMAC_SIGNATURE_URL": "platform.example/signature"}),
    ("E003", {"HMAC_SIGNATURE_URL": "https://platform.example/signature?a=1"}),
    ("E003", {"HMAC_SIGNATURE_URL": "https://platform.example:port/"}),
    ("E004", {"ERROR_RESPONSE_NS": "response"}),
    ("E004", {"ERROR_RESPONSE_NS": "http://platform.example/a b"}),
    ("E005", {"ISSUER": ""}),
    ("E005", {"ISSUER": "https://platform.example/path"}),
    ("E005", {"ISSUER": 'https://platform".example'}),
    ("E006", {"REQUEST_ID_HEADER": "x svc"}),
    ("E006", {"REQUEST_ID_HEADER": ""}),
    ("E006", {"REASON_HEADER": "x svc"}),
    ("E007", {"TRUSTED_PROXIES": ("10.0.0.0/8", "proxy")}),
    ("E008", {"MAX_CLOCK_SKEW_SECONDS": 0}),
    ("E008", {"MAX_CLOCK_SKEW_SECONDS": 86_400}),
    ("E009", {"MOUNTS": {"platform": "platform"}}),
    ("E009", {"MOUNTS": {"/platform/": "platform"}}),
    ("E009", {"MOUNTS": {"/platform": "soap"}}),
    ("E012", {"ERROR_DOCUMENTATION_URL": "errors.html"}),
    ("E012", {"ERROR_DOCUMENTATION_URL": "https://docs.example/errors#top"}),
    ("E012", {"ERROR_DOCUMENTATION_URL": "https://docs.example/<errors>"}),
]


def ids():
    return [message.id.removeprefix("platform_errors.") for message in check_settings()]


def test_the_test_project_is_set_up_well():
    assert ids() == []


@pytest.mark.parametrize(("expected", "values"), WRONG)
def test_a_wrong_setting_is_said_at_the_start(change, expected, values):
    change(**values)

    assert ids() == [expected]


def test_atomic_requests_would_give_nonces_out_again(settings, monkeypatch):
    monkeypatch.setitem(settings.DATABASES["default"], "ATOMIC_REQUESTS", True)

    assert ids() == ["E010"]


def test_the_request_identifier_comes_first(settings):
    settings.MIDDLEWARE = settings.MIDDLEWARE[1:]

    assert ids() == ["W001"]


@pytest.mark.parametrize("value", [{}, {"EXCEPTION_HANDLER": "other.handler"}])
def test_refusals_need_the_handler(settings, value):
    settings.REST_FRAMEWORK = value

    assert ids() == ["W002"]


def test_the_checks_run_with_the_project_s():
    assert check_settings in checks.registry.registry.get_checks()
