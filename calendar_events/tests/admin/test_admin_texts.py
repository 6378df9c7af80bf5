"""Texts that are typed in admin are cleaned as those that are sent."""

import pytest
from django.test import Client
from django.urls import reverse

from calendar_events.models import Event
from calendar_events.tests.bodies import event
from calendar_events.tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def administrator():
    client = Client()
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    return client


def typed(**changes):
    return event(institution="1001", status="publish", **changes)


def test_html_of_very_many_tags_is_refused_in_admin(administrator):
    response = administrator.post(
        reverse("admin:calendar_events_event_add"), typed(description="<div>" * 10_000)
    )

    problems = response.context["adminform"].form.errors
    assert problems == {
        "description": ["This must not have more than 5000 tags of HTML; it has 10000."]
    }


def test_a_title_that_shows_a_tag_is_typed_escaped_and_stays(administrator):
    administrator.post(
        reverse("admin:calendar_events_event_add"), typed(title="Learn &lt;b&gt;")
    )
    stored = Event.objects.get()
    page = reverse("admin:calendar_events_event_change", args=[stored.pk])
    form = administrator.get(page).context["adminform"].form

    assert stored.title == "Learn <b>"
    assert form["title"].value() == "Learn <b>"
    assert b"Learn &lt;b&gt;" in administrator.get(page).content
    assert b"Learn <b>" not in administrator.get(page).content


def test_a_website_is_escaped_in_admin(administrator):
    administrator.post(
        reverse("admin:calendar_events_event_add"),
        typed(website='http://x.example/"onclick=1'),
    )

    assert Event.objects.get().website == "http://x.example/%22onclick=1"
