"""A series that tests make, and what a list shows of one."""

from calendar_events.tests.bodies import event


def yoga(**changes):
    """A class every Monday evening in Berlin, five times."""
    monday = {
        "title": "Yoga",
        "start_date": "2031-01-06 18:00:00",
        "end_date": "2031-01-06 19:30:00",
        "timezone": "Europe/Berlin",
        "rrule": "FREQ=WEEKLY;COUNT=5",
    }
    return event(**monday | changes)


def dates_of(caller, series):
    """The occurrences of a series as a list shows them."""
    found = caller.get(f"/events?series={series}&per_page=50&starts_after=2000-01-01")
    return found.json()["events"]
