"""Statements on a connection that broke."""

import pytest
from django.db import close_old_connections, connection

from calendar_events.tests.factories import EventFactory
from calendar_events.tests.reading import ids, pks

pytestmark = pytest.mark.both_databases


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgresql_only  # SQLite has no server
def test_a_read_survives_a_restart_of_the_database(anonymous):
    event = EventFactory()
    assert ids(anonymous.get("/events")) == pks(event)
    other = connection.copy()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [backend])
    other.close()
    close_old_connections()  # as each request of a server begins; Django's client does not

    assert ids(anonymous.get("/events")) == pks(event)
