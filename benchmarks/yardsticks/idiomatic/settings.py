"""The project's settings with the yardstick's addresses."""

from config.settings import *  # noqa: F403 -- everything but one setting

ROOT_URLCONF = "benchmarks.yardsticks.idiomatic.urls"
