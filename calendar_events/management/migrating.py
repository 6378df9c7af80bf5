"""Migrations that run while the version before serves (docs/upgrading.md).

::

    class Migration(migrations.Migration):
        atomic = False
        operations = [migrations.RunPython(fill, migrations.RunPython.noop)]

    def fill(apps, schema_editor):
        events = apps.get_model("calendar_events", "Event").objects
        in_batches(
            events.using(schema_editor.connection.alias).filter(subtitle=None),
            lambda batch: batch.update(subtitle=F("title")),
            name="0010_fill_subtitles",
        )
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db import NotSupportedError, connections, migrations, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState

from calendar_events.management import progress

BATCH_SIZE: Final = 1000


def in_batches(
    rows: models.QuerySet[Any],
    change: Callable[[models.QuerySet[Any]], Any],
    *,
    name: str,
    batch_size: int = BATCH_SIZE,
) -> None:
    """Change rows in the order of their keys, each batch in a transaction of its own.

    ``rows`` are those still to be changed: a migration that was interrupted and is run
    again goes on where it was. Who writes one of them waits for one batch at most.

    Raises ``NotSupportedError`` in a transaction, which would be one for all of them, and
    ``progress.Interrupted`` when a signal came.
    """
    require_no_transaction(rows.db, name)
    last: Any = None
    with progress.shown(name, unit="rows", total=rows.count()) as work:
        work.going_on = "run migrate again to go on"
        while True:
            after = rows if last is None else rows.filter(pk__gt=last)
            keys = list(after.order_by("pk").values_list("pk", flat=True)[:batch_size])
            if not keys:
                break
            with transaction.atomic(using=rows.db):
                change(rows.model._base_manager.using(rows.db).filter(pk__in=keys))
            last = keys[-1]
            work.advance(len(keys))


class AddIndexWhileServing(migrations.AddIndex):
    """Add an index without keeping writers from the table, where the database can.

    That is PostgreSQL, as Django's ``AddIndexConcurrently`` does it; an interrupted build
    leaves an index there that nobody uses, and it is made anew.
    """

    atomic = False

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Add it. Raises ``NotSupportedError`` in a transaction."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        require_no_transaction(schema_editor.connection.alias, self.index.name)
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            name = schema_editor.quote_name(self.index.name)
            postgresql: Any = schema_editor
            with _patient(schema_editor.connection):
                schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
                postgresql.add_index(model, self.index, concurrently=True)


@contextmanager
def _patient(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Wait for locks without a limit.

    Building waits for older transactions, also when the index is there already, and holds
    nobody up: a limit would throw away the work of minutes for one long report.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('lock_timeout')")
        (limit,) = cursor.fetchone()
        cursor.execute("SET lock_timeout = 0")
        try:
            yield
        finally:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [limit])


def require_no_transaction(alias: str, name: str) -> None:
    """Raise ``NotSupportedError`` when the migration is one transaction."""
    if connections[alias].in_atomic_block:
        raise NotSupportedError(f"{name}: set atomic = False on the migration.")
