"""The old generation's endpoints: the present ones under other names."""

from authserver.legacy.client_generation import OLD, OLD_ENDPOINT
from authserver.views.endpoints.token import Token
from authserver.views.pages.authorize import Authorize


class AuthorizeCode(Authorize):
    """``GET {auth_url}/authorizeCode``."""

    generation = OLD


class AccessToken(Token):
    """``POST {auth_url}/accessToken``."""

    generation = OLD
    error_dialect = OLD_ENDPOINT
