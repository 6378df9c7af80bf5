"""Which institution a request is for (decisions 3.7)."""

import pytest

from authserver.tests import factories
from authserver.tests.authorization.requests.authorization_client import answer

pytestmark = pytest.mark.django_db


def test_the_path_chooses_the_institution(ask):
    assert ask(registry_id="1001").institution == "1001"


def test_context_chooses_like_the_path(ask):
    request = ask(scope="context:1001 calendar_events")

    assert request.institution == "1001"
    assert str(request.scopes) == "context:1001 calendar_events"


def test_path_and_context_may_agree(ask):
    assert (
        ask(registry_id="1001", scope="calendar_events context:1001").institution == "1001"
    )


def test_path_and_context_may_not_differ(ask):
    reply = answer(ask(registry_id="1001", scope="calendar_events context:1002"))

    assert (reply["error"], reply["http_code"]) == ("invalid_request", "400")


def test_two_contexts_may_not_differ(ask):
    reply = answer(ask(scope="calendar_events context:1001 context:1002"))

    assert reply["error"] == "invalid_request"


@pytest.mark.parametrize("registry_id", ["9999999", "1002", "1003"])
def test_an_unknown_inactive_or_foreign_institution_is_refused(ask, key, registry_id):
    factories.KeyInstitutionFactory(
        key=key, institution=factories.InstitutionFactory(registry_id="1002", inactive=True)
    )
    factories.InstitutionFactory(registry_id="1003")

    for reply in (
        answer(ask(registry_id=registry_id)),
        answer(ask(scope=f"calendar_events context:{registry_id}")),
    ):
        assert reply["error"] == "access_denied_institution"
        assert reply["http_code"] == "403"
        assert reply["error_description"] == (
            f"clientId spa doesn't have access to contextInstitutionId {registry_id}"
        )
