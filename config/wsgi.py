"""The WSGI server object, ``config.wsgi:application``."""

import os

from django.core.wsgi import get_wsgi_application

from platform_errors.unmeasured_bodies import MeasureBodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = MeasureBodies(get_wsgi_application())
