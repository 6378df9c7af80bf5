"""Servers that fail, for the tests of what a client is told then."""

from django.db import OperationalError

from authserver.errors import UnauthorizedClient
from authserver.oauth.validator import Validator


class Broken:
    """Fails as no programmer foresaw."""

    def __init__(self, validator):
        self.validator = validator

    def issue(self, token_request):
        raise RuntimeError("internal detail")


class Locked(Broken):
    """Fails as a busy database does."""

    def issue(self, token_request):
        raise OperationalError("database is locked")


class Closed(Validator):
    """A validator that lets no client in."""

    def authenticate_client(self, request, *args, **kwargs):
        raise UnauthorizedClient("closed")
