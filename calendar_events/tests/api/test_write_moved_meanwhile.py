"""A record that moves elsewhere, or to the trash, between the look of a write and its lock.

The caller may write it when it is found. Under the lock it is another institution's, so the
answer is 403 and nothing is written.
"""

import pytest
from django.db import connection
from django.db.models import QuerySet

from calendar_events.models import Event, Organizer, Term, Venue
from calendar_events.tests import factories
from calendar_events.tests.bodies import NAMES, RECORDS
from calendar_events.tests.callers import refusal

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MADE_BY = {
    "events": factories.EventFactory,
    "venues": factories.VenueFactory,
    "organizers": factories.OrganizerFactory,
    "categories": factories.CategoryFactory,
    "tags": factories.TagFactory,
}
KINDS = list(MADE_BY)


def stored():
    """Return every row, and how many versions the history has."""
    kinds = (Event, Venue, Organizer, Term)
    return [(list(model.objects.values()), model.history.count()) for model in kinds]


@pytest.fixture
def change_at_the_lock(monkeypatch):
    """Return a function: after it, rows of a model change just before one is locked."""
    lock = QuerySet.select_for_update

    def arm(model, assignment="institution = '1002'"):
        def move_and_lock(rows, *arguments, **options):
            if rows.model is model:
                table = connection.ops.quote_name(model._meta.db_table)
                with connection.cursor() as cursor:
                    cursor.execute(f"UPDATE {table} SET {assignment}")  # noqa: S608
            return lock(rows, *arguments, **options)

        monkeypatch.setattr(QuerySet, "select_for_update", move_and_lock)

    return arm


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("query", ["", "?force=true"])
def test_what_moved_meanwhile_is_not_deleted(editor, change_at_the_lock, name, query):
    record = MADE_BY[name](institution="1001")
    before = stored()
    change_at_the_lock(type(record))

    response = editor.delete(f"/{name}/{record.pk}{query}")

    assert refusal(response) == (403, "rest_forbidden")
    assert stored() == before


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST"])
def test_what_moved_meanwhile_is_not_changed(editor, change_at_the_lock, name, method):
    record = MADE_BY[name](institution="1001")
    before = stored()
    change_at_the_lock(type(record))

    response = editor.send(method, f"/{name}/{record.pk}", {NAMES[name]: "Renamed"})

    assert refusal(response) == (403, "rest_forbidden")
    assert stored() == before


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("status", ["draft", "trash"])
def test_what_moved_meanwhile_is_neither_restored_nor_put_into_the_trash(
    editor, change_at_the_lock, name, status
):
    now = "trash" if status == "draft" else "publish"
    record = MADE_BY[name](institution="1001", status=now)
    before = stored()
    change_at_the_lock(type(record))

    response = editor.put(f"/{name}/{record.pk}", {"status": status})

    assert refusal(response) == (403, "rest_forbidden")
    assert stored() == before


@pytest.mark.parametrize("name", RECORDS)
def test_what_went_to_the_trash_meanwhile_is_gone(editor, change_at_the_lock, name):
    record = MADE_BY[name](institution="1001", status="draft")
    before = stored()
    change_at_the_lock(type(record), "status = 'trash', previous_status = 'publish'")

    response = editor.delete(f"/{name}/{record.pk}")

    assert response.status_code == 410
    assert stored() == before
