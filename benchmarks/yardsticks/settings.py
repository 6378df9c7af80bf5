"""The project's settings with the addresses of a yardstick."""

from config.settings import *  # noqa: F403 -- everything but one setting
from config.settings import env

ROOT_URLCONF = env.str("BENCHMARK_URLS")
