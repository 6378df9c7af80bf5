"""What messages say, and whom they come from: no name of anybody changes a header."""

import pytest

from authserver.accounts import mail, password_links
from authserver.tests import factories
from authserver.tests.links import ask, link_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Riverside University", "Riverside University"),
        (
            'Friends of "Books", Inc. <x@y.example>',
            '"Friends of \\"Books\\", Inc. <x@y.example>"',
        ),
        ("Evil\r\nBcc: everybody@x.example", '"Evil Bcc: everybody@x.example"'),
        ("Line\u2028end\x00\x85here", "Line end here"),
        ("Bibliothèque de Clairval", "=?utf-8?q?Biblioth=C3=A8que_de_Clairval?="),
    ],
)
def test_a_message_comes_from_the_institution_by_name(
    visitor, mailbox, alice, riverside, settings, name, shown
):
    settings.DEFAULT_FROM_EMAIL = "Platform <no-reply@platform.example>"
    riverside.name = name.replace("\x00", "\x01")
    riverside.save()

    ask(visitor, "alice")

    raw = mailbox[0].message()
    head = raw.as_bytes().partition(b"\n\n")[0].decode()
    assert raw["From"].replace("\n", "") == f"{shown} <no-reply@platform.example>"
    assert raw["To"] == "alice@library.example"
    assert "\nBcc:" not in head
    assert raw["Auto-Submitted"] == "auto-generated"
    assert raw.get_content_type() == "text/plain"


def test_an_institution_may_have_another_name_for_its_mail(
    visitor, mailbox, alice, riverside
):
    riverside.sender_name = "Riverside IT"
    riverside.save()

    ask(visitor, "alice")

    (message,) = mailbox
    assert message.from_email.startswith("Riverside IT <")
    assert message.subject == "Choose a new password: Riverside IT"
    assert 'account\n"alice" at Riverside IT.' in message.body
    assert "within 24 hours" in message.body


def test_marks_of_html_stay_as_they_are(visitor, mailbox, alice, riverside):
    riverside.name = "Tom & <Jerry's>"
    riverside.save()

    ask(visitor, "alice")

    assert "Tom & <Jerry's>" in mailbox[0].body
    assert "&amp;" not in mailbox[0].body


def test_somebody_of_the_platform_gets_its_message_from_the_platform(mailbox):
    staff = factories.UserFactory(administrator=True, email="oscar@platform.example")

    refused = password_links.invite(staff, actor="admin")

    (message,) = mailbox
    assert (refused, message.subject) == ("", "Your account")
    assert "we have an account for you" in message.body
    assert link_in(message)


@pytest.mark.parametrize("text", ["", "plain", " a \t b\r\nc "])
def test_one_line_is_one_line(text):
    assert mail.one_line(text) == " ".join(text.split())
