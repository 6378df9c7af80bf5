"""The WSGI server object, ``config.wsgi:application``."""

import os

import django

from platform_errors.encoding import Utf8Handler
from platform_errors.unmeasured_bodies import MeasureBodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

application = MeasureBodies(Utf8Handler())
