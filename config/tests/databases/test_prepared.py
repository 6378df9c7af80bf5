"""Prepared reads pass through the wrappers of a connection, as other statements do."""

import pytest
from django.db import connections

from platform_errors.postgresql import prepared

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def database():
    return connections["default"]


def test_a_prepared_read_passes_through_every_wrapper():
    seen = []

    def wrapper(execute, statement, parameters, many, context):
        seen.append((statement, parameters, many, context["connection"].alias))
        return execute(statement, parameters, many, context)

    with database().execute_wrapper(wrapper):
        prepared.fetch_rows(database(), "SELECT CAST(%s AS integer)", [7])

    assert seen == [("SELECT CAST(%s AS integer)", [7], False, "default")]


def test_without_wrappers_a_prepared_read_answers_too():
    kept, database().execute_wrappers = database().execute_wrappers, []
    try:
        rows = prepared.fetch_rows(database(), "SELECT CAST(%s AS integer)", [7])
    finally:
        database().execute_wrappers = kept

    assert [tuple(row) for row in rows] == [(7,)]


def test_after_a_prepared_read_nobody_asks_whether_the_server_lives(monkeypatch):
    asked = []
    monkeypatch.setattr(database(), "is_usable", lambda: asked.append(1) or True)
    monkeypatch.setattr(database(), "health_check_enabled", True)
    monkeypatch.setattr(database(), "health_check_done", False)
    prepared.fetch_rows(database(), "SELECT CAST(%s AS integer)", [7])

    with database().cursor() as cursor:
        cursor.execute("SELECT 1")

    # On SQLite it is no prepared read, and there is no server.
    assert len(asked) == (0 if database().vendor == "postgresql" else 1)
