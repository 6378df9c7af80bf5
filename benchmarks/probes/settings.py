"""The project's settings with the probes' addresses."""

from config.settings import *  # noqa: F403 -- everything but one setting

ROOT_URLCONF = "benchmarks.probes.urls"
