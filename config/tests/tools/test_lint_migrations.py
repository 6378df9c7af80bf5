"""Migrations that would stop the version that serves are refused."""

import pytest
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader

from calendar_events.management.migrating import AddIndexWhileServing
from config.tools import lint_migrations

pytestmark = [
    pytest.mark.nightly,  # `make check` runs the tool itself
    pytest.mark.postgresql_only,  # about PostgreSQL
    pytest.mark.django_db(transaction=True),
]

TITLE = models.CharField(max_length=200, default="")
INDEX = models.Index(fields=["title"], name="event_by_title")


def nothing(apps, schema_editor):
    """Change no row."""


def complaints(*operations, atomic=True):
    migration = type(
        "Migration", (migrations.Migration,), {"operations": operations, "atomic": atomic}
    )("9001_for_this_test", "calendar_events")
    state = MigrationLoader(connection).project_state()
    return [
        *lint_migrations.of_operations(migration),
        *lint_migrations.of_sql(migration, state),
    ]


@pytest.mark.parametrize(
    ("operation", "complaint"),
    [
        (migrations.RemoveField("event", "website"), "ban-drop-column"),
        (migrations.RenameField("event", "website", "page"), "renaming-column"),
        (migrations.DeleteModel("DayCount"), "ban-drop-table"),
        (migrations.AddField("event", "subtitle", TITLE), "ban-drop-default"),
        (
            migrations.AlterField("event", "website", models.CharField(max_length=9)),
            "changing-column-type",
        ),
        (
            migrations.AlterField("event", "published_at", models.DateTimeField()),
            "adding-not-nullable-field",
        ),
        (migrations.AddIndex("event", INDEX), "require-concurrent-index-creation"),
        (
            migrations.AddConstraint(
                "event",
                models.CheckConstraint(condition=~models.Q(title=""), name="titled"),
            ),
            "constraint-missing-not-valid",
        ),
        (
            migrations.AddConstraint(
                "event", models.UniqueConstraint(fields=["title"], name="titles")
            ),
            "disallowed-unique-constraint",
        ),
        (migrations.RunPython(nothing, nothing), "in one transaction"),
        (migrations.RunSQL("UPDATE calendar_events_event SET cost = cost"), "undone"),
    ],
)
def test_what_the_version_before_would_fail_with_or_wait_for_is_refused(
    operation, complaint
):
    assert complaint in "\n".join(complaints(operation))


def test_what_cannot_be_begun_again_is_refused():
    (found,) = complaints(
        AddIndexWhileServing("event", INDEX),
        migrations.RunPython(nothing, nothing),
        atomic=False,
    )

    assert found.endswith(": without a transaction a migration has one operation.")


@pytest.mark.parametrize(
    ("operation", "atomic"),
    [
        (
            migrations.AddField(
                "event", "subtitle", models.CharField(max_length=200, null=True)
            ),
            True,
        ),
        (
            migrations.AddField(
                "event",
                "subtitle",
                models.CharField(max_length=200, default="", db_default=""),
            ),
            True,
        ),
        (AddIndexWhileServing("event", INDEX), False),
        (migrations.RunPython(nothing, nothing), False),
        (
            migrations.CreateModel(
                "Note",
                [
                    ("id", models.BigAutoField(primary_key=True)),
                    ("text", models.CharField(max_length=200, db_index=True)),
                ],
            ),
            True,
        ),
    ],
)
def test_what_the_version_before_does_not_notice_is_taken(operation, atomic):
    assert complaints(operation, atomic=atomic) == []


def test_the_migrations_of_this_version_pass():
    assert list(lint_migrations.complaints(MigrationLoader(connection))) == []


def test_the_list_of_migrations_before_the_rule_names_ours():
    known = MigrationLoader(connection).disk_migrations

    assert {app for app, _ in known} >= set(lint_migrations.OURS)
    assert {*lint_migrations.BEFORE_THE_RULE.items(), *lint_migrations.ACCEPTED} <= set(
        known
    )


def test_the_check_fails_and_names_the_migration(monkeypatch, capsys):
    monkeypatch.setitem(
        lint_migrations.BEFORE_THE_RULE,
        "authserver",
        "0004_audit_of_institutions_and_unlocking",
    )

    status = lint_migrations.main()

    said = capsys.readouterr().out
    assert status == 1
    assert "authserver.0005_audit_actor_and_subject" in said
    assert "ban-drop-column" in said
    assert "docs/upgrading.md" in said
