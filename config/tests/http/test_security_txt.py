"""Where to report a vulnerability: /.well-known/security.txt (RFC 9116)."""

import datetime as dt

import pytest

from config.tests.fresh import WHOLE
from config.tests.test_environment import settings_printed

ADDRESS = "/.well-known/security.txt"
CONTACTS = ["mailto:security@example.org", "https://example.org/report?a=1&b=2"]


@pytest.fixture
def lines(settings, client):
    settings.SECURITY_CONTACT = CONTACTS
    settings.ISSUER = "http://calendar.example.org"
    response = client.get(ADDRESS)
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    return [line.split(": ", 1) for line in response.content.decode().splitlines()]


def test_it_names_the_contacts_in_their_order_and_where_it_stands(lines):
    assert [value for name, value in lines if name == "Contact"] == CONTACTS
    assert ["Canonical", f"http://calendar.example.org{ADDRESS}"] in lines


def test_it_expires_within_a_year_and_once(lines):
    (expires,) = [value for name, value in lines if name == "Expires"]

    left = dt.datetime.fromisoformat(expires) - dt.datetime.now(tz=dt.UTC)
    assert dt.timedelta(days=1) < left < dt.timedelta(days=365)


@pytest.mark.django_db
def test_without_a_contact_there_is_none(settings, client):
    settings.SECURITY_CONTACT = []

    assert client.get(ADDRESS).status_code == 404


def test_the_contacts_come_from_the_environment():
    finished = settings_printed(
        "settings.SECURITY_CONTACT", **WHOLE, SECURITY_CONTACT=",".join(CONTACTS)
    )

    assert finished.stdout.strip() == str([CONTACTS])


@pytest.mark.parametrize(
    "value",
    ["security@example.org", "http://example.org", "mailto:a\nb", "https://["],
)
def test_what_is_no_contact_stops_the_start_with_a_sentence(value):
    finished = settings_printed("1", **WHOLE, SECURITY_CONTACT=value)

    assert finished.stderr.strip().endswith(
        "SECURITY_CONTACT must be addresses with mailto:, https: or tel:."
    )
