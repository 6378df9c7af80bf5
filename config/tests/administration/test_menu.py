"""The menu of admin: what a role finds there, in words of people."""

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse
from lxml import html

from authserver.tests import factories
from config.tests.administration import pages
from config.tests.administration.conftest import Staff

pytestmark = pytest.mark.django_db

CALENDAR = [
    *("Events", "Images", "Organizers", "Terms", "Venues"),
    *("Webhook deliveries", "Webhook subscriptions"),
]


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
            *("Authorization requests", "Consents", "Identity providers", "Institutions"),
            *("Institutions on keys", "Refresh tokens"),
            *("Service keys", "Services on keys", "Sign-in of institutions", "Users"),
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
    assert {"Roles", "Consents"} < set(names["Authorization server"])
    assert "Id tokens" not in names["Authorization server"]


def test_every_page_of_roles_calls_them_roles():
    boss = Staff(factories.UserFactory(administrator=True))
    role = Group.objects.create(name="Gardeners")

    texts = {
        page: words(boss.get(address))
        for page, address in {
            "list": pages.about(Group),
            "form": pages.of(role),
            "new": pages.about(Group, "add"),
            "deletion": pages.of(role, "delete"),
            "history": pages.of(role, "history"),
        }.items()
    }

    assert "Add role" in texts["list"]
    assert "Delete selected roles" in texts["list"]
    assert " roles " in texts["list"]
    assert "delete the role" in texts["deletion"]
    # What goes along is listed by Django, by the models' own names.
    texts["deletion"] = texts["deletion"].partition("Summary")[0]
    for page, text in texts.items():
        assert "Roles" in text, page
        assert not {"Group", "Groups"} & set(text.split()), page
        assert "Add group" not in text, page


def words(response):
    """Return the text of a page, its white space evened out."""
    [body] = html.fromstring(response.content).xpath("//body")
    return " ".join(body.text_content().split())


def test_the_page_of_a_library_stays_where_it_is(client):
    client.force_login(factories.UserFactory(administrator=True))

    assert client.get(reverse("admin:app_list", args=["auth"])).status_code == 200
    assert (
        client.get(reverse("admin:app_list", args=["calendar_events"])).status_code == 200
    )


@pytest.mark.parametrize(
    ("build", "title"),
    [
        (Group.objects.create, "Change role"),
        (factories.GrantFactory, "View authorization code"),
        (factories.KeyInstitutionFactory, "Change institution on a key"),
        (factories.KeyServiceFactory, "Change service on a key"),
        (factories.PendingRequestFactory, "View authorization request"),
        (factories.RefusalCountFactory, "View count of refusals"),
    ],
)
def test_a_form_is_headed_by_the_word_of_the_menu(build, title):
    root = Staff(factories.UserFactory(administrator=True))

    page = root.get(pages.of(build()))

    assert page.context["title"] == title
    assert page.context["title"] in html.fromstring(page.content).xpath("string(//h1)")


def test_every_list_is_headed_by_its_name_in_the_menu():
    root = Staff(factories.UserFactory(administrator=True))
    index = root.get(reverse("admin:index"))
    listed = [model for app in index.context["app_list"] for model in app["models"]]

    titles = {
        model["name"]: root.get(model["admin_url"]).context["title"] for model in listed
    }

    assert titles == {name: name for name in titles}
    assert titles
