"""The WSGI server object, ``config.wsgi:application``."""

import gc
import os

import django

from platform_errors.http.wsgi import ChunkedBodyMiddleware, Utf8Handler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

application = ChunkedBodyMiddleware(Utf8Handler())
# Requests refer to themselves, so that some of what they leave waits for a full
# collection, which is due when a quarter of all objects is new. Those that live as long as
# the process are not counted: less is left to wait.
gc.collect()
gc.freeze()
