"""The institution page: search, choose, remember, forget."""

from http import HTTPStatus

import pytest

from authserver.authorization import session
from authserver.models import PendingRequest
from authserver.tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def picker(visitor, address, key):
    return visitor.open(address(key, at=""))


def chosen():
    institution = PendingRequest.objects.get().institution
    return institution and institution.registry_id


@pytest.mark.parametrize("words", ["river", "RIVERSIDE", "university  river", "1001"])
def test_search_finds_by_name_place_code_and_identifier(picker, words):
    picker.press("Search", q=words)

    assert picker.values("institution") == ["1001"]
    assert picker.field("q").get("value") == words


def test_search_ignores_accents(picker, key):
    factories.KeyInstitutionFactory(
        key=key,
        institution=factories.InstitutionFactory(registry_id="1009", name="École Zürich"),
    )

    picker.press("Search", q="ecole zurich")

    assert picker.values("institution") == ["1009"]


def test_nothing_found_says_so_and_offers_the_search_again(picker):
    picker.press("Search", q="nowhere <b>")

    assert "No institution matches “nowhere <b>”" in picker.text
    assert picker.values("institution") == []
    assert picker.field("q") is not None


@pytest.mark.parametrize("words", ["x" * 101, "a\x00b"])
def test_a_search_that_cannot_be_is_like_none(picker, words):
    picker.press("Search", q=words)

    assert picker.status == HTTPStatus.OK
    assert picker.values("institution") == ["1002", "1001"]


def test_at_most_25_rows_are_shown_by_name_with_the_total(picker, key):
    for number in range(30):
        institution = factories.InstitutionFactory(name=f"Academy {number:02}")
        factories.KeyInstitutionFactory(key=key, institution=institution)

    picker.press("Search", q="")

    assert len(picker.values("institution")) == 25
    assert "Showing 25 of 32 institutions. Search by name, place or code" in picker.text
    assert picker.text.index("Academy 00") < picker.text.index("Academy 24")


@pytest.mark.parametrize("rows", [1, 20])
def test_the_page_costs_the_same_however_many_institutions(
    picker, key, rows, django_assert_num_queries
):
    for _ in range(rows):
        factories.KeyInstitutionFactory(key=key)

    # session, pending request, key; the rows and how many there are
    with django_assert_num_queries(5):
        picker.open(picker.url)


def test_only_active_institutions_of_the_key_are_offered(picker, key):
    closed = factories.InstitutionFactory(name="Closed", inactive=True)
    factories.KeyInstitutionFactory(key=key, institution=closed)
    factories.InstitutionFactory(name="On no key")

    picker.press("Search", q="")

    assert picker.values("institution") == ["1002", "1001"]


@pytest.mark.parametrize("forged", ["1003", "", "x", "1001\x00", "9" * 400])
def test_what_the_page_does_not_offer_cannot_be_chosen(picker, forged):
    factories.InstitutionFactory(registry_id="1003", name="Lakeview College")

    picker.send(
        picker.url,
        {
            "institution": forged,
            "csrfmiddlewaretoken": picker.field("csrfmiddlewaretoken").get("value"),
        },
    )

    if forged == "1001\x00":  # NUL means nothing anywhere
        assert chosen() == "1001"
    else:
        assert "cannot be chosen" in picker.alert
        assert chosen() is None


def test_the_choice_can_be_changed_until_the_answer(picker):
    picker.press("institution=1001")
    assert "Riverside University" in picker.text

    picker.follow("Choose another").press("institution=1002")

    assert "Northgate Public Library" in picker.text
    assert chosen() == "1002"


def test_however_many_requests_are_open_the_first_can_still_be_answered(
    picker, address, key
):
    first = picker.url
    for _ in range(session.MAX_OPEN_CHOICES):
        picker.open(address(key, at=""))

    picker.open(first).press("institution=1001")

    assert picker.heading == "Sign in"
    assert "Choose another" not in picker.text


def test_an_institution_that_the_application_named_cannot_be_changed(visitor, address, key):
    visitor.open(address(key, at="1001"))
    assert "Choose another" not in visitor.text

    visitor.open(visitor.url.replace("/login", "/institution"))

    assert visitor.heading == "Sign in"
    assert "Riverside University" in visitor.text


def test_context_in_the_scope_chooses_like_the_path(visitor, address, key):
    visitor.open(address(key, at="", scope="directory context:1002"))

    assert visitor.heading == "Sign in"
    assert "Northgate Public Library" in visitor.text


# Remembered on the device, visibly and revocably.


def test_the_last_choice_is_offered_first_next_time(picker, address, key):
    picker.press("institution=1001", remember="1")

    picker.open(address(key, at=""))

    assert "Your last choice on this device" in picker.text
    picker.press("Continue with Riverside University")
    assert picker.heading == "Sign in"


def test_the_page_is_shown_even_when_a_choice_is_remembered(picker, address, key):
    picker.press("institution=1001", remember="1")

    picker.open(address(key, at=""))

    assert picker.heading == "Choose your institution"


def test_nothing_is_remembered_unless_one_ticks_it(picker, address, key):
    assert picker.field("remember").get("checked") is None
    picker.press("institution=1001")

    picker.open(address(key, at=""))

    assert "Your last choice" not in picker.text


def test_the_choice_can_be_forgotten(picker, address, key):
    picker.press("institution=1001", remember="1")
    picker.open(address(key, at=""))

    picker.press("Forget it")

    assert picker.heading == "Choose your institution"
    assert "Your last choice" not in picker.text


def test_a_remembered_institution_that_is_not_the_keys_is_not_offered(picker, address, key):
    picker.press("institution=1001", remember="1")
    key.institution_links.filter(institution__registry_id="1001").delete()

    picker.open(address(key, at=""))

    assert "Your last choice" not in picker.text


def test_a_cookie_that_we_did_not_sign_is_ignored(picker, address, key):
    picker.client.cookies["institution"] = "1001:forged"

    picker.open(address(key, at=""))

    assert "Your last choice" not in picker.text


def test_the_cookie_is_for_the_server_alone(picker):
    picker.press("institution=1001", remember="1")

    cookie = picker.client.cookies["institution"]
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == session.COOKIE_SECONDS


def test_under_https_the_cookie_belongs_to_this_host_alone(picker, settings, address, key):
    settings.SESSION_COOKIE_SECURE = True

    picker.press("institution=1001", remember="1")
    cookie = picker.client.cookies["__Host-institution"]
    assert cookie["secure"] is True
    assert cookie["path"] == "/"

    picker.open(address(key, at="")).press("Forget it")
    assert picker.client.cookies["__Host-institution"].value == ""


def test_whoever_comes_back_can_go_on_by_pressing_enter(picker, address, key):
    assert picker.field("q").get("autofocus") is not None
    picker.press("institution=1001", remember="1")

    picker.open(address(key, at=""))

    (focused,) = picker.page.xpath("//*[@autofocus]")
    assert focused.text_content().strip() == "Continue with Riverside University"
