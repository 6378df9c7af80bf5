"""How each refusal is named on the two channels of OAuth (decisions 3.3 and 4)."""

import pytest

from authserver import refusals
from platform_errors import exceptions

SCOPES = exceptions.ScopesInvalid([("a", "A", "Canceled")])
INSTITUTION = exceptions.InstitutionNotOnKey(key="k", institution="1")


@pytest.mark.parametrize(
    ("refused", "in_redirect", "at_token"),
    [
        (exceptions.KeyInvalid(key="k"), "invalid_client_id", "invalid_client"),
        (exceptions.KeyExpired(), "invalid_client_id", "invalid_client"),
        (exceptions.KeyCanceled(), "invalid_client_id", "invalid_client"),
        (SCOPES, "invalid_scope", "invalid_scope"),
        (INSTITUTION, "access_denied_institution", "unauthorized_client"),
        (refusals.ScopeMissing(), "invalid_scope", "invalid_scope"),
        (refusals.AccessDenied("no"), "access_denied", "access_denied"),
        (refusals.RedirectMismatch(), "redirect_uri_mismatch", "redirect_uri_mismatch"),
        (exceptions.InternalError(), "server_error", "server_error"),
    ],
)
def test_a_refusal_has_its_name_on_either_channel(refused, in_redirect, at_token):
    assert refusals.authorization_error(refused) == in_redirect
    assert refusals.token_error(refused) == at_token


@pytest.mark.parametrize(
    ("refused", "error"),
    [
        (exceptions.SignatureInvalid(signature="x"), "invalid_client"),
        (exceptions.NonceReplayed(), "invalid_client"),
        (exceptions.UnknownAuthorizationScheme(), "invalid_client"),
        (exceptions.UnsupportedMediaType(), "invalid_request"),
        (exceptions.MethodNotSupported(), "invalid_request"),
        (exceptions.Unavailable(), "temporarily_unavailable"),
        (exceptions.TooManyRequests(), "temporarily_unavailable"),
    ],
)
def test_what_only_a_program_meets_has_a_name_too(refused, error):
    assert refusals.token_error(refused) == error
