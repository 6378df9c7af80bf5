"""What another project forgets is said at its start, in a sentence."""

import pytest
from django.core.checks import run_checks


def found():
    return {message.id: message.msg for message in run_checks(tags=["calendar_events"])}


def test_nothing_is_found_in_a_project_that_has_set_all():
    assert found() == {}


def test_a_time_zone_that_nobody_chose_is_noticed(settings):
    settings.TIME_ZONE = "America/Chicago"

    assert found() == {
        "calendar_events.W002": "Dates without an offset are read in America/Chicago, "
        "Django's default."
    }


@pytest.mark.parametrize(("name", "value"), [("STATIC_URL", None), ("TEMPLATES", [])])
def test_what_the_page_of_the_interface_needs_is_noticed(settings, name, value):
    setattr(settings, name, value)

    assert set(found()) == {"calendar_events.W003"}
    assert found()["calendar_events.W003"].startswith(name)
