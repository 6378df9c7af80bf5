"""A record that moves to another institution between the look of a write and its lock.

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
def move_at_the_lock(monkeypatch):
    """Return a function: after it, rows of a model move just before one is locked."""
    lock = QuerySet.select_for_update

    def arm(model):
        def move_and_lock(rows, *arguments, **options):
            if rows.model is model:
                table = connection.ops.quote_name(model._meta.db_table)
                with connection.cursor() as cursor:
                    cursor.execute(f"UPDATE {table} SET institution = '1002'")  # noqa: S608
            return lock(rows, *arguments, **options)

        monkeypatch.setattr(QuerySet, "select_for_update", move_and_lock)

    return arm


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("query", ["", "?force=true"])
def test_what_moved_meanwhile_is_not_deleted(editor, move_at_the_lock, name, query):
    record = MADE_BY[name](institution="1001")
    before = stored()
    move_at_the_lock(type(record))

    response = editor.delete(f"/{name}/{record.pk}{query}")

    assert refusal(response) == (403, "rest_forbidden")
    assert stored() == before


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST"])
def test_what_moved_meanwhile_is_not_changed(editor, move_at_the_lock, name, method):
    record = MADE_BY[name](institution="1001")
    before = stored()
    move_at_the_lock(type(record))

    response = editor.send(method, f"/{name}/{record.pk}", {NAMES[name]: "Renamed"})

    assert refusal(response) == (403, "rest_forbidden")
    assert stored() == before


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("status", ["draft", "trash"])
def test_what_moved_meanwhile_is_neither_restored_nor_put_into_the_trash(
    editor, move_at_the_lock, name, status
):
    now = "trash" if status == "draft" else "publish"
    record = MADE_BY[name](institution="1001", status=now)
    before = stored()
    move_at_the_lock(type(record))

    response = editor.put(f"/{name}/{record.pk}", {"status": status})

    assert refusal(response) == (403, "rest_forbidden")
    assert stored() == before
