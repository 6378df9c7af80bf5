"""Wall clocks in the database and in fixtures."""

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from calendar_events.models import Event, WallClockField
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.reading import at

pytestmark = pytest.mark.both_databases


def test_a_wall_clock_has_no_zone():
    field = WallClockField()

    assert field.to_python("2031-01-01 10:00") == at("2031-01-01 10:00")
    assert field.to_python("") is None
    for wrong in ("soon", timezone.now(), 7):
        with pytest.raises(ValidationError):
            field.to_python(wrong)


@pytest.mark.django_db
def test_a_wall_clock_survives_a_fixture():
    event = EventFactory(start=at("0031-01-01 10:00"), end=at("2031-01-01 10:00"))
    field = Event._meta.get_field("start_local")

    assert field.value_to_string(event) == "0031-01-01 10:00:00"
    assert Event.objects.get().start_local == at("0031-01-01 10:00")
    assert Event.objects.filter(start_local=event.start_local).exists()
