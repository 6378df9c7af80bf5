"""New passwords: what they may not consist of, and how long they may be."""

import pytest
from django.contrib.auth.password_validation import password_validators_help_texts
from django.core.exceptions import ValidationError

from authserver.accounts.password_words import KnownWordsValidator
from authserver.tests import factories
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.django_db

validator = KnownWordsValidator(words=("calendar", "platform", "example", "org"))


@pytest.fixture
def student():
    return factories.UserFactory.build(
        institution=factories.InstitutionFactory.build(
            registry_id="1001", name="École Riverside", place="Genève", code="RIVU"
        )
    )


@pytest.mark.parametrize(
    "password",
    [
        "Riverside1001!",
        "ecole-riverside",
        "calendar-1001-rivu",
        "GENEVE geneve 2026",
        "platform.example",
    ],
)
def test_known_words_and_little_else_are_refused(student, password):
    with pytest.raises(ValidationError) as caught:
        validator.validate(password, student)

    assert caught.value.code == "password_of_known_words"


@pytest.mark.parametrize(
    "password", ["Hamburg12345", "AnnaSchuleHamburg", "St.Anna-Schule!"]
)
def test_punctuation_hides_no_word(password):
    of_hamburg = factories.InstitutionFactory.build(
        name="St. Anna-Schule (Hamburg)", place="Hamburg, Altona"
    )

    with pytest.raises(ValidationError):
        validator.validate(password, factories.UserFactory.build(institution=of_hamburg))


@pytest.mark.parametrize(
    "password",
    ["four horses at riverside", "organic and orderly", "xkq-vw-zzt-31", "short"],
)
def test_a_sentence_may_have_such_a_word_in_it(student, password):
    validator.validate(password, student)


@pytest.mark.parametrize("user", [None, factories.UserFactory.build(institution=None)])
def test_words_of_an_institution_are_known_of_its_own_users_alone(user):
    validator.validate("Riverside1001!", user)

    with pytest.raises(ValidationError):
        validator.validate("platformcalendar", user)


def test_the_pages_say_so():
    assert any(
        "names of your institution" in text for text in password_validators_help_texts()
    )


@pytest.fixture
def change(visitor, alice, log_in):
    """Change the password of Alice, on the page."""
    visitor.open("/oauth2/login?institution=1001")
    page = log_in().follow("Change password")

    def to(new):
        return page.press(
            "Change the password",
            oldpassword=factories.PASSWORD,
            password1=new,
            password2=new,
        )

    return to


def test_the_page_refuses_a_password_of_known_words(change, alice):
    alice.institution.name = "Riverside University"
    alice.institution.save()

    page = change("university1001")

    alice.refresh_from_db()
    assert alice.check_password(factories.PASSWORD)
    assert "fewer than 8 characters" in page.text


def test_a_password_of_a_hundred_characters_is_taken_whole(change, alice):
    new = "many words, " * 9

    change(new[:100])

    alice.refresh_from_db()
    assert alice.check_password(new[:100])
    assert not alice.check_password(new[:99])


def test_it_signs_in(change, alice):
    new = ("many words, " * 9)[:100]
    change(new)
    visitor = Visitor()
    visitor.open("/oauth2/login?institution=1001")

    visitor.press("Sign in", username="alice", password=new)

    assert visitor.open("/oauth2/access").heading == "My account"
