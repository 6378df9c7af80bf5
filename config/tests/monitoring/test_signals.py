"""What the apps say happened is counted; the rest of it is in test_live.py."""

import pytest
from django.contrib.auth import authenticate

from authserver.accounts.login_limits import login_refused
from authserver.oauth.tokens import tokens_issued
from calendar_events.api.streams import Places
from config.monitoring import process_metrics
from platform_errors.errors.catalogue import Unavailable

pytestmark = pytest.mark.django_db


def test_a_login_that_fails_is_told_from_one_that_was_not_looked_at(rf, grown):
    request = rf.post("/oauth2/login")
    authenticate(request, login="nobody", password="wrong")
    login_refused.send(sender=__name__, request=request)

    assert grown("platform_logins_total", result="failed") == 1
    assert grown("platform_logins_total", result="locked") == 1


@pytest.mark.parametrize(
    "grant", ["authorization_code", "refresh_token", "client_credentials"]
)
def test_tokens_are_counted_by_their_grant(grant, grown):
    tokens_issued.send(sender=__name__, grant_type=grant)

    assert grown("platform_tokens_issued_total", grant=grant) == 1


def test_a_feed_that_finds_no_place_is_counted(settings, grown):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "FEEDS_AT_ONCE": 1}
    places = Places()
    places.take()

    with pytest.raises(Unavailable):
        places.take()

    assert places.taken == 1
    assert grown("platform_feeds_refused_total") == 1


def test_a_sample_says_what_the_process_holds(grown):
    sampler = process_metrics.Sampler(lambda: {"quick": (2, 3)})

    sampler.sample()

    assert grown("platform_worker_starts_total") == 1
    name = "platform_server_requests"
    assert grown(name, threads="quick", state="running") == 2
    assert grown(name, threads="quick", state="waiting") == 3
    assert grown("platform_cpu_seconds_total") > 0
    assert process_metrics.resident_bytes() > 1_000_000
