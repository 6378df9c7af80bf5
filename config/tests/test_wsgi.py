"""What the server object is made of."""

from config.wsgi import application
from platform_errors.encoding import Utf8Handler
from platform_errors.unmeasured_bodies import MeasureBodies


def test_bodies_are_measured_and_text_is_utf_8():
    assert isinstance(application, MeasureBodies)
    assert isinstance(application.application, Utf8Handler)
