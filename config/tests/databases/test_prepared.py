"""Prepared reads pass through the wrappers of a connection, as other statements do."""

import pytest
from django.db import connections

from platform_errors.postgresql import prepared

pytestmark = pytest.mark.django_db


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
