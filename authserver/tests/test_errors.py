"""How a refusal is named on both channels of OAuth (decisions 3.3 and decisions 4)."""

import pytest

from authserver import errors
from platform_errors.errors import catalogue, writes

SCOPES = catalogue.ScopesInvalid([("a", "A", "Canceled")])
INSTITUTION = catalogue.InstitutionNotOnKey(key="k", institution="1")


@pytest.mark.parametrize(
    ("refused", "in_redirect", "at_token"),
    [
        (catalogue.KeyInvalid(key="k"), "invalid_client_id", "invalid_client"),
        (catalogue.KeyExpired(), "invalid_client_id", "invalid_client"),
        (catalogue.KeyCanceled(), "invalid_client_id", "invalid_client"),
        (SCOPES, "invalid_scope", "invalid_scope"),
        (INSTITUTION, "access_denied_institution", "unauthorized_client"),
        (errors.ScopeMissing(), "invalid_scope", "invalid_scope"),
        (errors.AccessDenied("no"), "access_denied", "access_denied"),
        (errors.RedirectMismatch(), "redirect_uri_mismatch", "redirect_uri_mismatch"),
        (catalogue.InternalError(), "server_error", "server_error"),
    ],
)
def test_a_refusal_has_its_name_on_either_channel(refused, in_redirect, at_token):
    assert errors.authorization_error(refused) == in_redirect
    assert errors.token_error(refused) == at_token


@pytest.mark.parametrize(
    ("refused", "error"),
    [
        (catalogue.SignatureInvalid(signature="x"), "invalid_client"),
        (catalogue.NonceReplayed(), "invalid_client"),
        (catalogue.UnknownAuthorizationScheme(), "invalid_client"),
        (writes.UnsupportedMediaType(), "invalid_request"),
        (catalogue.MethodNotSupported(), "invalid_request"),
        (catalogue.Unavailable(), "temporarily_unavailable"),
        (catalogue.TooManyRequests(), "temporarily_unavailable"),
    ],
)
def test_what_only_a_program_meets_has_a_name_too(refused, error):
    assert errors.token_error(refused) == error
