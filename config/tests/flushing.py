"""A quick flush after each transactional test: the database as the migrations left it.

Django's truncates every table, which PostgreSQL does by making new files, and then has
``post_migrate`` compute again what the migrated database had: a tenth of a second each.
"""

import contextlib
from unittest import mock

from django.apps import apps
from django.core.management.commands import flush
from django.db import connection, transaction

# No trigger and no foreign key looks on. Like TRUNCATE, it is for the owner of everything.
UNWATCHED = "SET LOCAL session_replication_role = replica"


def quick():
    """Return a block in which the command ``flush`` puts back the rows of this moment."""
    kept = [
        rows
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and (rows := list(model._base_manager.all()))
    ]
    deletions = [
        f"DELETE FROM {connection.ops.quote_name(table)}"  # noqa: S608 -- a table of ours
        for table in connection.introspection.table_names()
        if table != "django_migrations"
    ]

    return _patched(kept, deletions)


@contextlib.contextmanager
def _patched(kept, deletions):
    def delete_everything(*arguments, **options):
        return [UNWATCHED, "; ".join(deletions)]

    def put_back(verbosity, interactive, db, **options):
        with transaction.atomic(using=db):
            for rows in kept:
                type(rows[0])._base_manager.using(db).bulk_create(rows)

    with contextlib.ExitStack() as patches:
        if connection.vendor == "postgresql":
            patches.enter_context(mock.patch.object(flush, "sql_flush", delete_everything))
        patches.enter_context(
            mock.patch.object(flush, "emit_post_migrate_signal", put_back)
        )
        yield
