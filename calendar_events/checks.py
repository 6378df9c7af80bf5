"""System checks of the app's settings and of its database; each id has a test."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from django.conf import global_settings, settings
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils.module_loading import import_string

from calendar_events.conf import conf
from calendar_events.models.kinds import KINDS
from calendar_events.store import triggers


@register("calendar_events")
def check_institutions(**_kwargs: Any) -> list[CheckMessage]:
    """E001: ``INSTITUTIONS`` must be empty or the path of a function."""
    try:
        directory = import_string(conf.institutions) if conf.institutions else dict
    except ImportError as error:
        return [
            Error(f"CALENDAR_EVENTS['INSTITUTIONS']: {error}", id="calendar_events.E001")
        ]
    if callable(directory):
        return []
    problem = f"CALENDAR_EVENTS['INSTITUTIONS']: {conf.institutions} is no function."
    return [Error(problem, id="calendar_events.E001")]


@register("calendar_events")
def check_documents(**_kwargs: Any) -> list[CheckMessage]:
    """E003: ``DOCUMENTS`` must name subclasses of the calendar's documents."""
    problems = []
    calendars = {kind.singular: import_string(kind.document) for kind in KINDS}
    for kind, path in conf.documents.items():
        own = calendars.get(kind)
        try:
            document = import_string(path)
        except ImportError as error:
            problems.append(f"{error}")
        else:
            if own is None or not issubclass(document, own):
                problems.append(f"{path} is no document of {kind}.")
    return [
        Error(f"CALENDAR_EVENTS['DOCUMENTS']: {problem}", id="calendar_events.E003")
        for problem in problems
    ]


@register("calendar_events")
def check_encryption(**_kwargs: Any) -> list[CheckMessage]:
    """E004: ``ENCRYPTION`` must be empty or a module that encrypts and decrypts."""
    if not conf.encryption:
        return []
    try:
        module = import_module(conf.encryption)
    except ImportError as error:
        problem = str(error)
    else:
        missing = {"encrypt", "decrypt"} - set(dir(module))
        problem = f"{conf.encryption} has no {', '.join(sorted(missing))}."
        if not missing:
            return []
    return [Error(f"CALENDAR_EVENTS['ENCRYPTION']: {problem}", id="calendar_events.E004")]


@register(Tags.database)
def check_triggers(
    databases: Sequence[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    """W001: the triggers that keep totals and count writes must be there.

    A warning, so that ``migrate`` can put right what it says.
    """
    problems: list[CheckMessage] = []
    for alias in databases or ():
        missing = triggers.missing(connections[alias])
        if missing:
            problems.append(
                checks.Warning(
                    f"Triggers are missing in the database {alias}: {', '.join(missing)}.",
                    hint="Totals and entity tags of lists go wrong. Run manage.py migrate, "
                    "which makes them again.",
                    id="calendar_events.W001",
                )
            )
    return problems


@register(Tags.database)
def check_migrations_of_before(
    databases: Sequence[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    """E002: of the migrations that were replaced, all or none must have run.

    Django would take such a database for one that is up to date.
    """
    problems: list[CheckMessage] = []
    replaced = {
        name
        for (app, _), migration in MigrationLoader(None).disk_migrations.items()
        for _, name in migration.replaces
        if app == "calendar_events"
    }
    for alias in databases or ():
        applied = {
            name
            for app, name in MigrationRecorder(connections[alias]).applied_migrations()
            if app == "calendar_events"
        }
        if applied & replaced and not applied >= replaced:
            problems.append(
                Error(
                    f"The database {alias} has some of the migrations 0001 to 0013 of "
                    "calendar_events, which are one now, and not all of them.",
                    hint="Run manage.py migrate at commit e3e245c first "
                    "(docs/upgrading.md).",
                    id="calendar_events.E002",
                )
            )
    return problems


@register("calendar_events")
def check_time_zone(**_kwargs: Any) -> list[CheckMessage]:
    """W002: ``TIME_ZONE`` is the site's choice, and Django's default is Chicago."""
    if settings.TIME_ZONE != global_settings.TIME_ZONE:
        return []
    problem = f"Dates without an offset are read in {settings.TIME_ZONE}, Django's default."
    hint = "Set TIME_ZONE to the zone of the calendar, or silence this if that is the one."
    return [checks.Warning(problem, hint=hint, id="calendar_events.W002")]


@register("calendar_events")
def check_documentation_page(**_kwargs: Any) -> list[CheckMessage]:
    """W003: the page that shows the interface needs templates and static files."""
    problem = "" if settings.STATIC_URL else "STATIC_URL is not set"
    try:
        get_template("calendar_events/swagger.html")
    except TemplateDoesNotExist:
        problem = "TEMPLATES finds no templates of apps (APP_DIRS)"
    if not problem:
        return []
    problem = f"{problem}: the page doc/swagger cannot be shown."
    return [checks.Warning(problem, id="calendar_events.W003")]
