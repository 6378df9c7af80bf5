"""A record that somebody else writes between the checks of a write and the write itself.

The picture that the write names comes from a server of ours, which does the other write
before it answers: the checks are done then, and nothing is locked yet.
"""

import pytest
from django.db import connections
from django.utils.http import http_date

from calendar_events.tests.bodies import BODIES, NAMES, RECORDS
from calendar_events.tests.callers import Caller, refusal
from calendar_events.tests.web import LOOPBACK, picture, serving

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture
def colleague(editor):
    """The same editor at another machine."""
    return Caller(editor.token, editor.actor)


@pytest.fixture
def meanwhile(settings):
    """Return a picture's server that calls a function before it answers."""
    settings.CALENDAR_EVENTS = {
        **settings.CALENDAR_EVENTS,
        "IMAGE_FETCH_NETWORKS": LOOPBACK,
    }

    def interrupted_by(write):
        def answer(handler):
            try:
                write()
            finally:
                connections.close_all()
            content = picture()
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(content)))
            handler.end_headers()
            handler.wfile.write(content)

        return serving(answer)

    return interrupted_by


@pytest.fixture(params=RECORDS)
def stored(request, editor):
    """Return a stored record's address, its title's field and the answer to its GET."""
    created = editor.post(f"/{request.param}", BODIES[request.param])
    url = f"/{request.param}/{created.json()['id']}"
    return url, NAMES[request.param], editor.get(url)


def put_while_a_colleague_writes(editor, colleague, meanwhile, stored, body, **headers):
    url, name, _ = stored
    with meanwhile(lambda: colleague.put(url, {name: "The colleague's"})) as server:
        return editor.put(url, {**body, name: "Mine", "image": server.url}, **headers)


def test_a_body_made_of_a_copy_that_changes_meanwhile_is_a_conflict(
    editor, colleague, meanwhile, stored
):
    url, name, read = stored
    copy = {"modified_utc": read.json()["modified_utc"]}

    response = put_while_a_colleague_writes(editor, colleague, meanwhile, stored, copy)

    assert refusal(response) == (409, "rest_conflict")
    current = editor.get(url).json()
    assert current[name] == "The colleague's"
    assert response.json()["data"]["detail"] == (
        f"the record was modified at {current['modified_utc']} UTC"
    )


def test_a_tag_that_is_replaced_meanwhile_fails_in_the_words_of_any_other(
    editor, colleague, meanwhile, stored
):
    url, name, read = stored

    response = put_while_a_colleague_writes(
        editor, colleague, meanwhile, stored, {}, If_Match=read["ETag"]
    )

    assert refusal(response) == (412, "rest_precondition_failed")
    assert response.json()["data"]["detail"] == "the record has another entity tag now"
    assert editor.get(url).json()[name] == "The colleague's"


def test_a_tag_and_a_copy_that_both_fail_are_a_failed_precondition(
    editor, colleague, meanwhile, stored
):
    _, _, read = stored
    copy = {"modified_utc": read.json()["modified_utc"]}

    response = put_while_a_colleague_writes(
        editor, colleague, meanwhile, stored, copy, If_Match=read["ETag"]
    )

    assert refusal(response) == (412, "rest_precondition_failed")


@pytest.mark.parametrize(
    "headers",
    [
        {"If_Match": "*"},
        {"If_None_Match": '"another"'},
        {"If_Unmodified_Since": http_date(4_000_000_000)},
        {},
    ],
)
def test_a_precondition_that_still_holds_after_somebody_elses_write_lets_both_happen(
    editor, colleague, meanwhile, stored, headers
):
    url, name, _ = stored

    response = put_while_a_colleague_writes(
        editor, colleague, meanwhile, stored, {}, **headers
    )

    assert response.status_code == 200
    assert editor.get(url).json()[name] == "Mine"


def test_an_old_title_is_kept_where_only_the_picture_was_sent(
    editor, colleague, meanwhile, stored
):
    url, name, _ = stored

    with meanwhile(lambda: colleague.put(url, {name: "The colleague's"})) as server:
        response = editor.put(url, {"image": server.url}, If_Match="*")

    assert response.status_code == 200
    assert response.json()[name] == "The colleague's"
    assert response.json()["image"]["width"] == 8


def test_a_record_that_is_deleted_meanwhile_is_not_there(
    editor, colleague, meanwhile, stored
):
    url, _, read = stored

    with meanwhile(lambda: colleague.delete(f"{url}?force=true")) as server:
        response = editor.put(url, {"image": server.url}, If_Match=read["ETag"])

    assert response.status_code == 404
