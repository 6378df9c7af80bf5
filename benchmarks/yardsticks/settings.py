"""The project's settings with the addresses of a yardstick."""

from config.environment.variables import env
from config.settings import *  # noqa: F403 -- everything but one setting

ROOT_URLCONF = env.str("BENCHMARK_URLS")
