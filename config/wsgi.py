"""The WSGI server object, ``config.wsgi:application``."""

import os

import django

from platform_errors.http.wsgi import ChunkedBodyMiddleware, Utf8Handler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

application = ChunkedBodyMiddleware(Utf8Handler())
