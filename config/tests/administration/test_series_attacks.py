"""What staff of one institution try on the series of another."""

import pytest
from django.utils import timezone

from calendar_events.models import Event, Series
from calendar_events.permissions import Actor
from calendar_events.services.changesets import Recurrence
from calendar_events.services.series import create_series
from config.tests.administration import pages

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def middle(ines, here):
    """The third of five dates at the first institution."""
    create_series(
        actor=Actor(user=ines.user, institution="1001"),
        changes={
            "title": "Yoga",
            "start_date": "2031-01-06 18:00",
            "end_date": "2031-01-06 19:30",
            "timezone": "Europe/Berlin",
            "recurrence": Recurrence(rrule="FREQ=WEEKLY;COUNT=5"),
        },
        now=timezone.now(),
    )
    return Event.objects.get(position=3)


def deletion(page):
    form = page.context["removal"]
    return {name: form[name].value() for name in ("seen_version", "seen_sequence")}


@pytest.mark.parametrize("scope", ["this", "following", "all"])
@pytest.mark.parametrize("role", ["institution administrator", "editor"])
def test_another_institution_s_dates_are_not_deleted(
    staff, ines, there, middle, scope, role
):
    stranger = staff(role, at=there.institution)
    sent = deletion(ines.get(pages.of(middle, "delete"))) | {"post": "yes", "scope": scope}

    assert stranger.get(pages.of(middle, "delete")).status_code in {302, 403}
    assert stranger.post(pages.of(middle, "delete"), **sent).status_code in {302, 403}
    assert Event.objects.filter(series=middle.series).count() == 5
    assert Series.objects.get().exdates == []


@pytest.mark.parametrize("role", ["institution administrator", "editor"])
@pytest.mark.parametrize("scope", ["following", "all"])
def test_another_institution_s_dates_are_not_left_out(
    staff, ines, there, middle, scope, role
):
    stranger = staff(role, at=there.institution)
    sent = pages.shown(ines.get(pages.of(middle)))
    sent |= {"scope": scope, "exdate": "2031-01-20", "rrule": "FREQ=DAILY;COUNT=2"}

    assert stranger.post(pages.of(middle), **sent).status_code in {302, 403}
    assert Series.objects.get().rule == "FREQ=WEEKLY;COUNT=5"
    assert Series.objects.get().exdates == []


@pytest.mark.parametrize("role", ["institution administrator", "editor", "contributor"])
def test_another_institution_s_event_does_not_begin_to_repeat(
    staff, ines, here, there, role
):
    stranger = staff(role, at=there.institution)
    sent = pages.shown(ines.get(pages.of(here.event))) | {"rrule": "FREQ=DAILY;COUNT=2"}

    assert stranger.post(pages.of(here.event), **sent).status_code in {302, 403}
    assert not Series.objects.exists()
