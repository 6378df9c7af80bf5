"""The WSGI server object, ``config.wsgi:application``."""

import os

import django

from platform_errors.http.wsgi import ChunkedBodyMiddleware, Utf8Handler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Settings are other ones in a management command: time limits, no connection pool.
os.environ.setdefault("SERVES_REQUESTS", "1")
django.setup(set_prefix=False)

application = ChunkedBodyMiddleware(Utf8Handler())
