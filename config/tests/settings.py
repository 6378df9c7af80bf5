"""Settings of the test suite, so that bare ``pytest`` works in a fresh clone."""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("READ_DOT_ENV", "0")
os.environ.setdefault("SECRET_KEY", "test-only-" + "0123456789abcdef" * 4)
os.environ.setdefault("ENCRYPTION_KEYS", "dGVzdC1vbmx5LWtleS1vZi0zMi1ieXRlcy1sb25nISE=")
os.environ.setdefault("PUBLIC_URL", "http://testserver")
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.setdefault("ACCESS_LOG", "0")
os.environ.setdefault("SERVES_REQUESTS", "1")
# PostgreSQL numbers the transactions of all databases of a cluster together, so that one of
# another process keeps the log of changes unsettled: each process has a cluster to itself.
clusters = os.environ.get("TEST_CLUSTERS", "").split()
if os.environ.get("DATABASE_URL") in clusters:
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    os.environ["DATABASE_URL"] = clusters[number % len(clusters)]

from config.settings import *  # noqa: F403 -- after the environment was set
from config.settings import AUTHSERVER, DATABASES

ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: threads and processes of concurrency tests need a real database.
    name = f"platform-test-{os.getpid()}.sqlite3"
    DATABASES["default"]["TEST"] = {"NAME": str(Path(tempfile.gettempdir()) / name)}
# Each test begins with an empty one (conftest.py), whether or not it has a database.
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
# Argon2id costs 17 ms; tests that are about passwords switch the real hasher on.
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.MD5PasswordHasher",
    "authserver.accounts.hashers.Argon2idPasswordHasher",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Nothing was collected for a test run; WhiteNoise then asks the finders, as runserver does.
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True
# What a key is used for is written with the first request of each minute, so that a test
# that counts statements would count other ones each time; its own tests switch it on.
# Second factors and fresh sign-ins are asked for in tests of their own.
AUTHSERVER = {
    **AUTHSERVER,
    "KEY_USE_SECONDS": 0,
    "KEY_REFUSALS": 0,
    "FRESH_SIGN_IN_SECONDS": 0,
    "PLATFORM_NEEDS_SECOND_FACTOR": False,
}
