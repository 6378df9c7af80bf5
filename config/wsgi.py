"""The WSGI server object, ``config.wsgi:application``."""

import gc
import os

import django

from platform_errors.encoding import Utf8Handler
from platform_errors.unmeasured_bodies import MeasureBodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

application = MeasureBodies(Utf8Handler())
# Requests refer to themselves, so that some of what they leave waits for a full
# collection, which is due when a quarter of all objects is new. Those that live as long as
# the process are not counted: less is left to wait.
gc.collect()
gc.freeze()
