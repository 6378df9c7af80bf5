"""What several modules about the desk begin with."""

import pytest

from calendar_events.models import Event
from calendar_events.tests.callers import caller
from calendar_events.tests.series import yoga


@pytest.fixture
def made():
    """Return the events of five Mondays, in their order."""
    assert caller("editor").post("/events", yoga()).status_code == 201
    return list(Event.objects.order_by("position"))
