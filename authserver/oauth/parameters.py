"""Parameters as a client sent them, read strictly: nothing can be read in two ways.

Django's own ``QueryDict`` keeps the last of several values; for OAuth that hides an attack
or a bug (RFC 6749 section 3.1: parameters must not be included more than once).
"""

from authserver.errors import InvalidRequest
from platform_errors.http import urlencoded

MAX_PARAMETERS = 100


def parse(encoded: bytes) -> dict[str, str]:
    """Return the parameters of a query string or a form body by name.

    Raises ``InvalidRequest``, for the first thing that is wrong.
    """
    values: dict[str, str] = {}
    try:
        pairs = urlencoded.split(encoded)
        if len(pairs) > MAX_PARAMETERS:
            raise InvalidRequest(f"there are more than {MAX_PARAMETERS} parameters")
        for encoded_name, encoded_value in pairs:
            name, value = urlencoded.decode(encoded_name), urlencoded.decode(encoded_value)
            if name in values:
                raise InvalidRequest(f"parameter {name} is repeated")
            values[name] = value
    except urlencoded.BrokenEscape:
        raise InvalidRequest("a % is not followed by two hexadecimal digits") from None
    except UnicodeDecodeError as error:
        raise InvalidRequest("the parameters are not UTF-8") from error
    return values
