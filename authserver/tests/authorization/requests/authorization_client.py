"""Good values of an authorization request, and readers of refusals."""

from urllib.parse import parse_qs, urlsplit

from authserver.authorization.requests import AuthorizationError

CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
REDIRECT = "https://client.example/cb"


def answer(refusal):
    """What the application reads from the redirect."""
    assert isinstance(refusal, AuthorizationError)
    query = parse_qs(urlsplit(refusal.location).query, keep_blank_values=True)
    assert all(len(values) == 1 for values in query.values())
    return {name: value for name, (value,) in query.items()}


def assert_local(refusal, error, http_code):
    assert isinstance(refusal, AuthorizationError)
    assert (refusal.error, refusal.http_code) == (error, http_code)
    assert refusal.location is None
