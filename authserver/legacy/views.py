"""The old generation's endpoints: the present ones under other names."""

from __future__ import annotations

from authserver.legacy.generation import OLD
from authserver.views.endpoints.base import NoSuchEndpoint
from authserver.views.endpoints.token import Token
from authserver.views.pages.authorize import Authorize


class AuthorizeCode(Authorize):
    """``GET {auth_url}/authorizeCode``."""

    generation = OLD


class AccessToken(Token):
    """``POST {auth_url}/accessToken``."""

    generation = OLD


class NoSuchAccessToken(NoSuchEndpoint):
    """What lies below ``/accessToken``: nothing."""

    generation = OLD
