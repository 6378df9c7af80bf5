"""The project in its next version, as far as a migration of it goes."""

from config.settings import *  # noqa: F403 -- the same, but for the migrations

MIGRATION_MODULES = {"calendar_events": "config.tests.change.next_release"}
