"""The menu of admin: what a role finds there, in words of people."""

import pytest
from django.urls import reverse

from authserver.tests import factories
from config.tests.administration.conftest import Staff

pytestmark = pytest.mark.django_db

CALENDAR = ["Events", "Images", "Organizers", "Terms", "Venues"]


def menu(someone):
    page = someone.get(reverse("admin:index"))
    return {
        app["name"]: [str(model["name"]) for model in app["models"]]
        for app in page.context["app_list"]
    }


def test_an_institution_administrator_finds_accounts_and_the_calendar(ines):
    assert menu(ines) == {
        "Authorization server": [
            *("Access tokens", "Audit events", "Authorization codes"),
            *("Authorization requests", "Consents", "Failed logins", "Institutions"),
            *("Institutions on keys", "Password links", "Refresh tokens", "Service keys"),
            *("Services on keys", "Users"),
        ],
        "Calendar events": CALENDAR,
    }


def test_a_key_manager_finds_keys(kim):
    assert menu(kim) == {
        "Authorization server": [
            *("Access tokens", "Audit events", "Counts of refusals"),
            *("Institutions", "Institutions on keys", "Refresh tokens"),
            *("Refused requests", "Secret links", "Service keys"),
            *("Services", "Services on keys"),
        ]
    }


def test_a_superuser_finds_no_table_that_the_server_keeps_for_itself():
    names = menu(Staff(factories.UserFactory(administrator=True)))

    assert set(names) == {"Authorization server", "Calendar events"}
    assert names["Calendar events"] == CALENDAR
    assert {"Roles", "Failed logins"} < set(names["Authorization server"])
    assert "Id tokens" not in names["Authorization server"]


def test_the_page_of_a_library_stays_where_it_is(client):
    client.force_login(factories.UserFactory(administrator=True))

    assert client.get(reverse("admin:app_list", args=["auth"])).status_code == 200
    assert (
        client.get(reverse("admin:app_list", args=["calendar_events"])).status_code == 200
    )
