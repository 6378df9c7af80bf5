"""The settings of the suite with the app of ``calendar_events.tests.extension.rooms``."""

import os

from config.tests.settings import *  # noqa: F403 -- all of them
from config.tests.settings import DATABASES, INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "calendar_events.tests.extension.rooms"]
if not DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": f"test_rooms_{os.getpid()}"}
