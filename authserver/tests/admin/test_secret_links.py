"""Django admin: a secret is handed over by a link that the administrator never opens."""

import pytest
from django.test import Client
from django.urls import reverse

from authserver.models import AuditEvent, SecretLink, ServiceKey
from authserver.tests import factories

pytestmark = pytest.mark.django_db

Action = AuditEvent.Action
BY_LINK = "Rotate the secret, and hand it over by a link"


def page(name, *arguments):
    return reverse(f"admin:authserver_{name}", args=arguments)


def link_on(desk):
    (link,) = desk.page.xpath("//input[@aria-label='Link to the secret']/@value")
    return link.removeprefix("http://testserver")


def opened(link):
    answer = Client().post(link)
    return answer.content.decode() if answer.status_code == 200 else ""


def recorded(action):
    events = AuditEvent.objects.filter(action=action)
    return [(event.actor, event.client_id) for event in events]


@pytest.fixture
def key():
    return factories.ServiceKeyFactory(client_id="reading", secret="in use")


def secrets_of(key):
    return ServiceKey.objects.get(pk=key.pk).secrets


def rotate_by_link(desk, key, button=BY_LINK):
    desk.open(page("servicekey_rotate_secret", key.pk)).press(button)
    return link_on(desk)


def test_a_secret_is_rotated_and_handed_over(desk, key):
    link = rotate_by_link(desk, key)

    new, previous = secrets_of(key)
    assert previous == b"in use"
    assert new.decode() not in desk.response.content.decode()
    assert "no-store" in desk.response["Cache-Control"]
    assert recorded(Action.SECRET_LINK_MADE) == [("admin", "reading")]
    assert new.decode() in opened(link)
    token = link.partition("token=")[2]
    assert token not in str(list(SecretLink.objects.values()))
    assert token not in str(list(AuditEvent.objects.values()))


def test_a_new_key_is_handed_over(desk):
    desk.open(page("servicekey_add"))
    desk.press("_save=Save", name="Reading Room", client_id="reading", by_link="on")

    (secret,) = ServiceKey.objects.get(client_id="reading").secrets
    assert secret.decode() in opened(link_on(desk))


def test_the_page_of_the_key_says_what_became_of_the_link(desk, key):
    link = rotate_by_link(desk, key)
    desk.follow("I have copied it")
    assert "A link to it was not opened yet" in desk.text
    assert link not in desk.response.content.decode()

    opened(link)
    desk.open(page("servicekey_change", key.pk))
    assert "A link to it was opened" in desk.text


def test_the_next_secret_ends_the_link_and_spares_the_one_in_use(desk, key):
    first = rotate_by_link(desk, key)
    desk.open(page("servicekey_rotate_secret", key.pk))
    assert "Nobody has seen the current one" in desk.text
    assert "stops working now" not in desk.text

    second = rotate_by_link(desk, key)

    new, previous = secrets_of(key)
    assert previous == b"in use"
    assert opened(first) == ""
    assert new.decode() in opened(second)
    assert recorded(Action.SECRET_LINK_REVOKED) == [("admin", "reading")]


def test_a_secret_that_somebody_has_seen_is_kept_beside_the_next(desk, key):
    opened(rotate_by_link(desk, key))
    seen, _ = secrets_of(key)

    rotate_by_link(desk, key)

    assert secrets_of(key)[1] == seen


def test_canceling_the_key_ends_the_link(desk, key):
    link = rotate_by_link(desk, key)

    desk.open(page("servicekey_switch", key.pk)).press("Cancel the key")
    desk.follow("Restore the key").press("Restore the key")

    assert opened(link) == ""
    assert recorded(Action.SECRET_LINK_REVOKED) == [("admin", "reading")]
    desk.open(page("servicekey_change", key.pk))
    assert "ended without being opened: nobody has seen this secret" in desk.text


def test_a_repeated_click_makes_one_link(desk, key):
    desk.open(page("servicekey_rotate_secret", key.pk))
    form = dict(desk.page.forms[-1].form_values())
    desk.press(BY_LINK)

    desk.send(page("servicekey_rotate_secret", key.pk), form | {"by_link": "yes"})

    assert "changed meanwhile" in desk.text
    assert SecretLink.objects.count() == 1


def test_only_who_may_change_keys_makes_links(client, key, riverside):
    key.institutions.add(riverside)
    at_riverside = {"institution": riverside, "is_staff": True, "is_superuser": True}
    ines = factories.UserFactory(**at_riverside)
    uma = factories.UserFactory(institution=None, is_staff=True)

    answers = []
    for user in (ines, uma):
        client.force_login(user)
        url = page("servicekey_rotate_secret", key.pk)
        answers.append(client.post(url, {"by_link": "yes"}).status_code)
        answers.append(client.get(page("secretlink_changelist")).status_code)

    assert answers == [403] * 4
    assert not SecretLink.objects.exists()


def test_a_key_with_a_link_can_be_deleted(desk, key):
    rotate_by_link(desk, key)

    desk.open(page("servicekey_delete", key.pk)).press("Yes, I\u2019m sure")

    assert not ServiceKey.objects.filter(pk=key.pk).exists()
