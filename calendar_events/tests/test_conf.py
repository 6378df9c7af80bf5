"""The app's settings."""

from calendar_events.conf import conf


def test_settings_have_defaults(settings):
    del settings.CALENDAR_EVENTS

    assert conf.service == "calendar_events"
    assert conf.max_per_page == 50
    assert conf.currency == "USD"
    assert conf.idempotency_hours == 24
