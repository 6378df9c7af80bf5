"""Names that others chose do not turn the words of a page around (Unicode UAX #9)."""

import lxml.html
import pytest

from authserver.models import Service
from authserver.tests import factories
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.django_db

TURN = "\u202e"  # RIGHT-TO-LEFT OVERRIDE, never closed


@pytest.fixture(autouse=True)
def turned(key, confidential_key, alice):
    """Every name ends in the character that turns around what follows."""
    named = [key, confidential_key, alice.institution, *Service.objects.all()]
    for row in named:
        row.name += TURN
        row.save()
    alice.institution.place += TURN
    alice.institution.save()
    alice.full_name += TURN
    alice.save()


def escaped_from(response):
    """Return the texts in which such a name is not isolated."""
    document = lxml.html.document_fromstring(response.content.decode())
    return [
        str(text)
        for text in document.xpath("//text()[not(ancestor::script)]")
        if TURN in text and not _is_isolated(text)
    ]


def _is_isolated(text):
    parent = text.getparent()
    inside = parent if text.is_text else parent.getparent()
    if inside.tag == "title":
        return f"{TURN}\u2069" in text and "\u2068" in text
    return inside.tag == "bdi"


def test_every_page_of_the_journey_isolates_names(visitor, address, key, alice):
    seen = []
    visitor.open(address(key, at=None))
    seen.append((visitor.heading, escaped_from(visitor.response)))
    visitor.press("institution=1001")
    seen.append((visitor.heading, escaped_from(visitor.response)))
    visitor.press("Sign in", username="alice", password=factories.PASSWORD)
    seen.append((visitor.heading, escaped_from(visitor.response)))
    visitor.press("Allow")
    visitor.open(address(key, at=None))  # with the choice of before
    seen.append((visitor.heading, escaped_from(visitor.response)))

    assert [heading.replace(TURN, "") for heading, _ in seen] == [
        "Choose your institution",
        "Sign in",
        "Allow Campus Planner to act for you?",
        "Choose your institution",
    ]
    assert [texts for _, texts in seen] == [[], [], [], []]


def test_my_access_and_the_password_page_isolate_names(visitor, key, alice):
    factories.AccessTokenFactory(
        user=alice,
        application=key,
        institution=alice.institution,
        scope="calendar_events directory",
    )
    visitor.open("/oauth2/login?institution=1001")
    visitor.press("Sign in", username="alice", password=factories.PASSWORD)

    assert "Calendar Events\u202e, Directory\u202e" in visitor.text
    assert escaped_from(visitor.response) == []
    visitor.press(f"application={key.client_id}")
    assert "can no longer act for you" in visitor.text
    assert escaped_from(visitor.response) == []
    assert escaped_from(visitor.open("/oauth2/access/password").response) == []


def test_the_page_that_goes_on_by_itself_isolates_names(
    visitor, address, confidential_key, alice
):
    factories.ConsentFactory(
        user=alice,
        key=confidential_key,
        institution=alice.institution,
        scope="calendar_events directory",
    )
    visitor.open(address(confidential_key))
    visitor.press("Sign in", username="alice", password=factories.PASSWORD)

    assert visitor.heading == "You are signed in"
    assert escaped_from(visitor.response) == []


def test_a_refusal_isolates_what_a_stranger_wrote(db):
    visitor = Visitor().open(
        f"/oauth2/auth?client_id=x{TURN}&redirect_uri=https://x.example/"
    )

    assert TURN in visitor.text
    assert escaped_from(visitor.response) == []


def test_the_pages_of_a_secret_isolate_the_keys_name(desk, confidential_key):
    page = f"/admin/authserver/servicekey/{confidential_key.pk}"
    desk.open(f"{page}/secret/rotate/")
    assert TURN in desk.text
    asked = escaped_from(desk.response)
    desk.press("Rotate the secret")
    shown = escaped_from(desk.response)
    desk.open(f"{page}/secret/retire/")

    assert (asked, shown, escaped_from(desk.response)) == ([], [], [])
