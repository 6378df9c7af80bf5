"""What repeats, at the editor's desk in Chromium: on a screen and on a small telephone."""

from datetime import datetime

import pytest

from authserver.tests.axe import axe, violations
from authserver.tests.browser import picture, press
from calendar_events.models import Event, Status
from calendar_events.tests import factories as calendar
from config.tests.administration import pages
from config.tests.administration.test_browser_admin import enter

__all__ = ["axe", "enter"]  # fixtures, found here by name

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db(transaction=True),
]

SCREEN = {"width": 1100, "height": 800}
PHONE = {"width": 320, "height": 640}


def dates():
    rows = Event.objects.filter(title="Choir").exclude(status=Status.TRASH)
    return [f"{row.start_local:%m-%d}" for row in rows.order_by("start_utc")]


@pytest.fixture
def look(axe):
    """Keep a picture, and require that axe finds nothing, nor anything out of view."""

    def look(page, name):
        picture(page, f"{name}-{page.viewport_size['width']}")
        assert violations(page, axe) == []

    return look


@pytest.mark.parametrize("viewport", [SCREEN, PHONE], ids=["screen", "phone"])
def test_an_event_repeats_leaves_a_date_out_and_ends(enter, staff, here, look, viewport):
    erin = staff("editor", at=here.institution, username="erin")
    choir = calendar.EventFactory(
        title="Choir",
        institution="1001",
        author=erin.user,
        start=datetime(2031, 1, 6, 18),  # noqa: DTZ001 -- a wall clock
    )
    page = enter(erin, viewport=viewport)

    # It begins to repeat.
    page.goto(pages.of(choir))
    page.get_by_label("Repeats").fill("FREQ=WEEKLY;COUNT=5")
    look(page, "repeats")
    press(page, "Save and continue editing")
    seen = page.get_by_role("status").inner_text()
    assert "The event will take place on 5 dates." in seen
    look(page, "repeats-seen")
    assert dates() == ["01-06"]
    press(page, "Save and continue editing")
    assert "was changed successfully" in page.locator(".messagelist").inner_text()
    assert dates() == ["01-06", "01-13", "01-20", "01-27", "02-03"]

    # A date is left out.
    page.get_by_label("Left-out dates").fill("2031-01-13")
    page.get_by_label("Change", exact=False).first.select_option("all")
    press(page, "Save and continue editing")
    assert (
        "Mon 13 Jan 2031, 18:00: goes to the trash"
        in page.locator("#event_form").inner_text()
    )
    look(page, "left-out-seen")
    press(page, "Save and continue editing")
    assert dates() == ["01-06", "01-20", "01-27", "02-03"]
    assert page.get_by_label("Left-out dates").input_value() == "2031-01-13"

    # It ends before a date.
    third = Event.objects.get(title="Choir", position=4)
    page.goto(pages.of(third, "delete"))
    look(page, "delete")
    page.get_by_label("this date and all that follow").check()
    press(page, "Yes, I’m sure")  # noqa: RUF001 -- Django's apostrophe
    said = page.locator(".messagelist").inner_text()
    assert "Dates of the series that were deleted: 2." in said
    assert dates() == ["01-06", "01-20"]
