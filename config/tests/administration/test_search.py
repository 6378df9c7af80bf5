"""Searches of the lists in admin: in what a row belongs to as well, and by beginnings."""

import pytest

from authserver.models import AccessToken, AuditEvent, Consent, KeyInstitution, User
from authserver.tests import factories
from calendar_events.admin import events
from calendar_events.models import Event
from config.tests.administration import pages
from institution_admin import search
from institution_admin.search import MOST_WORDS

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def found(someone, model, text):
    answer = someone.get(pages.about(model), q=text)
    assert answer.status_code == 200
    return {row.pk for row in answer.context["cl"].result_list}


@pytest.mark.parametrize(
    "text",
    [
        "person@1001",
        "PERSON@1001",
        "Riverside",
        "1001 person",
        '"Key of Riverside"',
        "'Key of Riverside'",
        "Riverside Riverside",
    ],
)
def test_a_token_is_found_by_whose_it_is_and_every_word_counts(oscar, here, there, text):
    assert found(oscar, AccessToken, text) == {here.access_token.pk}


@pytest.mark.parametrize("text", ["1001 northgate", '"of Key Riverside"', "no-such-word"])
def test_a_word_that_is_nowhere_finds_no_token(oscar, here, there, text):
    assert found(oscar, AccessToken, text) == set()


def test_a_search_finds_rows_of_the_own_institution_alone(ines, here, there):
    assert found(ines, Consent, "person") == {here.consent.pk}
    assert found(ines, Consent, "person@1002") == set()


def test_rows_without_columns_of_their_own_are_found_by_both_sides(oscar, here, there):
    link = here.key_institution.pk

    assert found(oscar, KeyInstitution, "Riverside") == {link}
    assert found(oscar, KeyInstitution, f"1001 {here.key.client_id}") == {link}


def test_no_more_words_are_looked_for_than_a_person_types(oscar, here):
    ten = ["person", "Key", "Riversid", *("Riverside"[n:] for n in range(7))]
    assert len(ten) == MOST_WORDS

    assert found(oscar, AccessToken, " ".join([*ten[:-1], "nowhere"])) == set()
    assert found(oscar, AccessToken, " ".join([*ten, "nowhere"])) == {here.access_token.pk}


def test_one_or_two_letters_begin_a_column(oscar, here, there):
    assert found(oscar, User, "pe") == {here.person.pk, there.person.pk}
    assert found(oscar, User, "er") == set()
    assert found(oscar, Event, "ev") == {here.event.pk, there.event.pk}
    assert found(oscar, Event, "he") == set()


@pytest.mark.parametrize("text", ["an", "An", "AN", "a"])
def test_one_or_two_letters_begin_a_column_in_either_case(oscar, here, there, text):
    here.person.full_name, there.person.full_name = "Anna Bell", "Johanna Bell"
    for user in (here.person, there.person, oscar.user):
        user.principal_id = f"{user.pk}"  # random letters may begin with an A
        user.save()

    assert found(oscar, User, text) == {here.person.pk}


def test_a_search_of_many_rows_keeps_the_newest(oscar, here, there, monkeypatch):
    monkeypatch.setattr(search, "MOST_FOUND", 1)

    assert found(oscar, User, "person") == {there.person.pk}
    assert found(oscar, AccessToken, "person") == {there.access_token.pk}
    assert found(oscar, Event, "evening") == {there.event.pk}
    assert len(found(oscar, Event, "")) == 4


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("per", True),
        ("person@1001", True),
        ("@1001", False),
        ("key-17", True),
        ("key-1", False),
        ("192.0.2.5", True),
        ("192.0.2", False),
        ("person key-17", True),
        ("person key-18", False),
    ],
)
def test_the_record_is_searched_by_beginnings_of_logins_and_by_whole_words(
    oscar, text, is_found
):
    event = factories.AuditEventFactory(
        subject="person@1001", client_id="key-17", address="192.0.2.5"
    )

    assert (event.pk in found(oscar, AuditEvent, text)) is is_found


def test_a_word_of_two_chinese_characters_is_found_anywhere(oscar, here):
    here.person.full_name = "中央大学"
    here.person.save()

    assert found(oscar, User, "大学") == {here.person.pk}


@pytest.mark.postgresql_only  # there texts are always read
@pytest.mark.parametrize("enough", [1, 2, 5])
def test_common_words_find_the_same_events_among_the_newest(
    ines, here, there, monkeypatch, enough
):
    monkeypatch.setattr(events, "SAMPLES", ((9, enough), (9, enough)))

    assert found(ines, Event, "Riverside draft") == {here.draft.pk}
    assert found(ines, Event, "riversi") == {here.event.pk, here.draft.pk}
    assert found(ines, Event, "northgate") == set()
