"""Servers that fail, for the tests of what a client is told then."""

from django.db import OperationalError

from authserver.errors import UnauthorizedClient
from authserver.oauth.validator import Validator


class Broken:
    """Fails as no programmer foresaw."""

    def __init__(self, validator):
        self.validator = validator

    def exchange(self, exchange):
        raise RuntimeError("internal detail")


class Locked(Broken):
    """Fails as a busy database does."""

    def exchange(self, exchange):
        raise OperationalError("database is locked")


class Closed(Validator):
    """A validator that lets no client in."""

    def authenticate_client(self, request, *args, **kwargs):
        raise UnauthorizedClient("closed")
