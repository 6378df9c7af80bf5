"""Refuse migrations that stop the version before them from serving (docs/upgrading.md).

    with_postgres.py python -m config.tools.lint_migrations

squawk reads the SQL that each migration runs on PostgreSQL; what SQL does not tell is
looked for in the operations. Part of ``make check``.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import django
from django.db import connection
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

Key = tuple[str, str]

OURS: Final = ("authserver", "calendar_events", "config", "platform_errors")
BEFORE_THE_RULE: Final = {
    "authserver": "0013_password_links",
    "calendar_events": "0006_image_alternative_text",
    "config": "0004_roles_see_password_links",
    "platform_errors": "0001_nonce",
}
"""The last of each app that was written before 1.0.0 was released.

Until then no database was served by one version while another migrated it.
"""
INDEXES: Final = "Written before 1.0.0: writers wait until its indexes are built."
UNRELEASED: Final = (
    "No version before it was ever tagged: writers wait until its indexes are built."
)
NEVER_SERVED: Final = "No version before it was ever tagged, so none serves while it runs."
ACCEPTED: Final[dict[Key, str]] = {
    ("authserver", "0016_audit_by_beginnings_and_address"): INDEXES,
    ("authserver", "0017_user_search"): INDEXES,
    ("authserver", "0018_remove_jobs"): (
        "The version before reads these tables in one list of admin and when it deletes an "
        "account; nothing that a client calls does."
    ),
    ("authserver", "0020_failed_logins_are_counted_in_the_cache"): NEVER_SERVED,
    ("authserver", "0021_second_factors"): NEVER_SERVED,
    ("authserver", "0024_account_deletion"): NEVER_SERVED,
    ("authserver", "0025_saml"): NEVER_SERVED,
    ("calendar_events", "0007_admin_at_scale"): INDEXES,
    ("calendar_events", "0008_event_in_admin"): INDEXES,
    ("calendar_events", "0009_add_list_indexes"): UNRELEASED,
    ("calendar_events", "0010_search_by_trigrams"): UNRELEASED,
    ("calendar_events", "0013_series"): UNRELEASED,
    ("calendar_events", "0014_series_index"): UNRELEASED,
    ("calendar_events", "0017_standing"): UNRELEASED,
    ("calendar_events", "0018_webhook_attempts"): UNRELEASED,
}
"""Later ones that may break the rule, with the reason why nobody has to wait or fails."""

NOT_OUR_RULES: Final = (
    # Lock limits are options of every connection (config.databases.time_limits).
    "require-lock-timeout",
    "require-statement-timeout",
    # Django's types.
    "prefer-text-field",
    "prefer-bigint-over-int",
    "prefer-bigint-over-smallint",
    "prefer-identity",
    "prefer-timestamptz",
    # A migration that is one transaction needs none; the others have one operation, which
    # migrating.in_batches and AddIndexWhileServing let begin again.
    "prefer-robust-stmts",
)
DATA: Final = (operations.RunPython, operations.RunSQL)


def complaints(loader: MigrationLoader) -> Iterator[str]:
    """Yield what is wrong with each migration that the rule is for."""
    for key in sorted(loader.disk_migrations):
        app, name = key
        if app in OURS and name > BEFORE_THE_RULE[app] and key not in ACCEPTED:
            migration = loader.disk_migrations[key]
            yield from of_operations(migration)
            yield from of_sql(migration, loader.project_state(key, at_end=False))


def of_operations(migration: Migration) -> Iterator[str]:
    """Yield what the SQL does not tell.

    Changes of rows in one transaction with others hold their locks until all are done.
    """
    label = f"{migration.app_label}.{migration.name}"
    changes_rows = [each for each in migration.operations if isinstance(each, DATA)]
    if changes_rows and migration.atomic:
        yield f"{label}: rows are changed in one transaction; set atomic = False."
    if len(migration.operations) > 1 and (changes_rows or not migration.atomic):
        yield f"{label}: without a transaction a migration has one operation."
    for each in changes_rows:
        if not each.reversible:
            yield f"{label}: it cannot be undone; give RunPython.noop at least."


def of_sql(migration: Migration, before: ProjectState) -> Iterator[str]:
    """Yield what squawk says about the SQL of a migration."""
    with connection.schema_editor(collect_sql=True, atomic=migration.atomic) as editor:
        migration.apply(before, editor, collect_sql=True)
    finished = subprocess.run(  # noqa: S603 -- our own arguments
        [
            str(Path(sys.executable).with_name("squawk")),
            *("--reporter", "gcc"),
            *("--stdin-filepath", f"{migration.app_label}.{migration.name}"),
            f"--exclude={','.join(NOT_OUR_RULES)}",
            *(["--assume-in-transaction"] if migration.atomic else []),
        ],
        input="\n".join(editor.collected_sql),
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        yield from filter(None, (finished.stdout or finished.stderr).splitlines())


def main() -> int:
    """Print every complaint; return 1 if there is one."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.tests.settings")
    django.setup()
    if connection.vendor != "postgresql":
        sys.exit("Locks are PostgreSQL's: run it by config/tools/with_postgres.py.")
    found = list(complaints(MigrationLoader(connection)))
    for complaint in found:
        sys.stdout.write(f"{complaint}\n")
    if found:
        sys.stdout.write("docs/upgrading.md says how to do it in steps.\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
