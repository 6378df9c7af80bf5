"""Accounts in admin: what they have open is seen, and ended."""

import pytest
from django.test import Client

from authserver.models import AccessToken, AuditEvent, Grant, RefreshToken, Session, User
from authserver.tests import factories
from config.tests.administration import pages

pytestmark = pytest.mark.django_db


def sign_out(someone, *users):
    response = someone.client.post(
        pages.about(User),
        {
            "action": "sign_out_everywhere",
            "_selected_action": [user.pk for user in users],
        },
        follow=True,
    )
    return [str(message) for message in response.context["messages"]]


def open_of(user):
    """Return what is open: sessions, codes, access tokens, refresh tokens."""
    return (
        Session.objects.filter(user_id=user.pk).count(),
        Grant.objects.filter(user=user, redeemed_at=None).count(),
        AccessToken.objects.filter(user=user, revoked_at=None).count(),
        RefreshToken.objects.filter(user=user, revoked=None).count(),
    )


@pytest.fixture
def browser(here):
    client = Client()
    client.force_login(here.person)
    return client


def test_an_account_is_signed_out_everywhere(ines, here, browser):
    before = open_of(here.person)

    said = sign_out(ines, here.person)

    assert said == ["Signed out everywhere: 1."]
    assert (before, open_of(here.person)) == ((1, 1, 1, 1), (0, 0, 0, 0))
    actions = AuditEvent.objects.filter(actor="ines@1001", subject="person@1001").order_by(
        "pk"
    )
    assert [(event.action, event.actor) for event in actions] == [
        ("token_revoked", "ines@1001"),
        ("account_changed", "ines@1001"),
    ]
    assert actions.last().details == {"changes": "Signed out everywhere.", "sessions": 1}


def test_accounts_of_others_and_with_more_rights_stay_signed_in(ines, here, there):
    boss = factories.UserFactory(institution=here.institution, is_staff=True)
    Client().force_login(boss)
    Client().force_login(there.person)

    said = sign_out(ines, boss, there.person)

    assert said == ["Not changed, because they have more rights than you: 1."]
    assert Session.objects.filter(user_id__in=[boss.pk, there.person.pk]).count() == 2


def test_the_page_of_an_account_leads_to_what_it_has_open(ines, here, browser):
    page = ines.get(pages.of(here.person)).content.decode()

    assert "in 1 browser" in page
    for model in (AccessToken, RefreshToken, AuditEvent):
        assert f'href="{pages.about(model)}?q=person%401001"' in page
