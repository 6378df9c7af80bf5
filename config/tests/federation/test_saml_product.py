"""People of an institution whose identity provider is pysaml2, on a real server."""

import time

import pytest

pytestmark = pytest.mark.processes
ACCOUNT = """
from allauth.socialaccount.models import SocialAccount
for row in SocialAccount.objects.filter(user__institution__registry_id="1003"):
    print(row.uid.partition(":")[0], row.user.login, row.user.full_name, row.user.email)
    print(*row.user.groups.values_list("name", flat=True))
"""
RULE = """
from django.contrib.auth.models import Group
from authserver.models import RoleRule, SignInMethod
RoleRule.objects.create(
    method=SignInMethod.objects.get(institution__registry_id="1003"),
    claim="urn:oid:1.3.6.1.4.1.5923.1.1.1.9", value="member@lakeview.example",
    group=Group.objects.get(name="editor"),
)
"""
FIVE_HOURS_PASS = """
from datetime import timedelta
from django.utils import timezone
from authserver.models import SignInMethod
SignInMethod.objects.filter(institution__registry_id="1003").update(
    metadata_fetched_at=timezone.now() - timedelta(hours=5)
)
"""


def test_a_person_arrives_with_a_persistent_name_and_eduperson_attributes(
    server, provider, person
):
    server.manage("shell", "-c", RULE)

    assert person.arrive("ann").heading == "My account", person.response.text

    made = server.manage("shell", "-v0", "-c", ACCOUNT)
    assert made.splitlines() == [
        "nameid ann@lakeview.example@1003 Name of ann ann@lakeview.example",
        "editor",
    ]
    assert person.in_another_browser().arrive("ann").heading == "My account"
    assert server.manage("shell", "-v0", "-c", ACCOUNT) == made


def test_a_provider_that_announced_its_new_key_changes_it(server, provider, person):
    provider.is_to(publishes=["one", "two"])
    server.manage("shell", "-c", FIVE_HOURS_PASS)
    assert person.arrive().heading == "My account"
    provider.refresh()

    provider.is_to(publishes=["two"], signs_with="two")

    assert person.in_another_browser().arrive().heading == "My account"


def test_a_key_counts_once_the_metadata_that_has_it_was_fetched(provider, person):
    provider.is_to(publishes=["two"], signs_with="two")

    assert person.arrive().reason == "answer_invalid"
    provider.refresh()

    assert person.in_another_browser().arrive().heading == "My account"


def test_a_key_that_the_metadata_does_not_name_never_counts(provider, person):
    provider.is_to(signs_with="two")

    assert person.arrive().reason == "answer_invalid"
    provider.refresh()

    assert person.in_another_browser().arrive().reason == "answer_invalid"


def test_a_clock_that_is_minutes_wrong_is_forgiven_and_no_more(provider, person):
    for ahead in (-240, 240):
        provider.is_to(ahead=ahead)
        assert person.in_another_browser().arrive().heading == "My account", ahead

    for ahead in (-900, 900):
        provider.is_to(ahead=ahead)
        assert person.in_another_browser().arrive().reason == "answer_invalid", ahead


def test_a_fresh_sign_in_is_asked_of_the_person_and_proved(provider, person):
    known_since_this_morning(person)
    person.leave().submit()
    assert person.heading == "My account"

    assert person.open("factors/app").heading == "Sign in at your institution"
    assert person.leave().heading == "Who are you?"
    person.submit(name="ann").submit()

    assert person.open("factors/app").heading == "Set up an authenticator app"


def test_a_provider_that_does_not_ask_again_proves_nothing(provider, person):
    provider.is_to(asks_anew=False)
    known_since_this_morning(person)
    person.leave().submit()
    person.open("factors/app")

    person.leave().submit()

    assert person.reason == "sign_in_old"
    assert person.open("access").heading != "My account"


def known_since_this_morning(person):
    """Let the provider remember the person since hours ago, and us not at all."""
    morning = int(time.time()) - 4 * 3600
    person.in_another_browser().browser.cookies.set("idp", f"ann.{morning}")
