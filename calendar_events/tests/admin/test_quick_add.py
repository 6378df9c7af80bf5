"""A venue, an organizer or a term that is not there yet, made from the event's form."""

import pytest
from django.conf import settings
from django.test import Client

from calendar_events.models import Event, Organizer, Term, Venue
from calendar_events.tests.admin.test_desk import desk_of, url
from calendar_events.tests.factories import UserFactory

KINDS = {"at_venues": Venue, "by_organizers": Organizer, "in_terms": Term}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("role", "offered"),
    [
        ("editor", set(KINDS)),
        ("contributor", {"at_venues", "by_organizers"}),
    ],
)
def test_what_one_may_create_can_be_added_from_the_form(role, offered):
    page = desk_of(roles=[role]).get(url(Event, "add")).content.decode()

    assert {name for name in KINDS if f'id="add_id_{name}"' in page} == offered


@pytest.mark.django_db
def test_a_window_answers_with_what_was_made():
    contributor = desk_of(roles=["contributor"])

    answer = contributor.post(
        f"{url(Venue, 'add')}?_to_field=id&_popup=1",
        {"institution": "1001", "name": "New hall", "_popup": "1", "_to_field": "id"},
    )

    venue = Venue.objects.get()
    assert (venue.status, venue.author) == ("draft", contributor.user)
    assert f"&quot;{venue.pk}&quot;" in answer.content.decode()


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_a_venue_is_made_in_a_window_and_chosen(new_page, live_server):
    user = UserFactory(is_staff=True, roles=["editor"])
    client = Client()
    client.force_login(user)
    page = new_page()
    name = settings.SESSION_COOKIE_NAME
    cookie = {"name": name, "value": client.cookies[name].value}
    page.context.add_cookies([cookie | {"url": live_server.url}])
    page.goto(f"{live_server.url}{url(Event, 'add')}")

    with page.expect_popup() as opened:
        page.click("#add_id_at_venues")
    window = opened.value
    window.select_option("#id_institution", "1001")
    window.fill("#id_name", "New hall")
    with window.expect_event("close"):
        window.click("input[name=_save]")

    page.wait_for_function("document.querySelector('#id_at_venues').value !== ''")
    venue = Venue.objects.get()
    chosen = page.locator("#id_at_venues option:checked")
    assert chosen.get_attribute("value") == str(venue.pk)
    assert "New hall" in page.locator(".field-at_venues .select2-selection").inner_text()
