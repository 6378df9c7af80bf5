"""Indexes that one kind of database has."""

from typing import Any

from django.contrib.postgres.indexes import GinIndex
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Index, Model


class SubstringIndex(GinIndex):
    """Trigrams of the folded text, in which PostgreSQL finds words anywhere (``pg_trgm``).

    Other databases read every text; there it is of the key alone, which costs nothing.
    """

    def __init__(self, name: str = "", **options: Any) -> None:
        # Written at once, not gathered until one writer in hundreds enters all.
        options = {"fields": ["search_text"], "fastupdate": False, **options}
        super().__init__(name=name, **{"opclasses": ["gin_trgm_ops"], **options})

    def create_sql(
        self,
        model: type[Model],
        schema_editor: BaseDatabaseSchemaEditor,
        using: str = "",
        **options: Any,
    ) -> Any:
        """Return the statement that makes it."""
        if schema_editor.connection.vendor == "postgresql":
            return super().create_sql(model, schema_editor, using, **options)
        return Index(fields=["id"], name=self.name).create_sql(model, schema_editor)
