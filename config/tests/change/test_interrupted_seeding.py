"""``seed_demo`` keeps its calendar in one transaction: all of it or nothing."""

import signal

import pytest
from django.core.management import call_command

from calendar_events.demo import seeding
from calendar_events.management import progress
from calendar_events.models import Event

pytestmark = pytest.mark.processes


@pytest.mark.django_db
def test_nothing_of_a_calendar_is_kept_that_was_stopped(monkeypatch):
    make = seeding.make

    def make_and_stop(*arguments, **options):
        make(*arguments, **options)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(seeding, "make", make_and_stop)

    with pytest.raises(progress.Interrupted) as ended:
        call_command("seed_demo", "--force")

    assert str(ended.value) == (
        "seed_demo was stopped by SIGINT after 1 events; "
        "none of them is kept, run it again."
    )
    assert not Event.objects.exists()
