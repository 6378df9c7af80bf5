"""How admin classes are put together, and what their pages have in common."""

from datetime import datetime

import pytest
from django.contrib import admin

from calendar_events.models import Event
from calendar_events.tests.admin.test_desk import url
from calendar_events.tests.factories import EventFactory

OURS = {"authserver", "calendar_events", "config", "institution_admin", "platform_errors"}
REGISTERED = [
    model_admin
    for model, model_admin in admin.site._registry.items()
    if model._meta.app_label == "calendar_events"
]


@pytest.mark.parametrize("model_admin", REGISTERED, ids=str)
def test_at_most_eight_classes_of_ours_stand_behind_an_admin_class(model_admin):
    classes = [
        each.__name__
        for each in type(model_admin).__mro__
        if each.__module__.partition(".")[0] in OURS
    ]

    assert len(classes) <= 8, classes


@pytest.mark.django_db
def test_an_event_that_goes_on_into_the_month_leads_to_its_form(admin_client):
    begin, end = datetime(2026, 9, 1, 10), datetime(2026, 12, 1, 10)  # noqa: DTZ001 -- wall clocks
    record = EventFactory(start=begin, end=end)

    page = admin_client.get(url(Event, "month"), {"month": "2026-11"}).content.decode()

    assert f'href="{url(Event, "change", record.pk)}"' in page
