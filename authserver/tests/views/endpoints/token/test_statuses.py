"""What has ended stops working at every step, in the words of spec 7 (decisions 4)."""

import pytest
from django.utils import timezone

from authserver.models import AccessToken
from authserver.tests import factories
from authserver.tests.oauth_client import (
    assert_error,
    refresh,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


STATUSES = [
    (lambda key, user: type(key).objects.update(status="canceled"), 403, "invalid_client"),
    (
        lambda key, user: type(key).objects.update(expires_at=timezone.now()),
        401,
        "invalid_client",
    ),
    (lambda key, user: key.service_links.all().delete(), 403, "invalid_scope"),
    (lambda key, user: key.service_links.update(status="canceled"), 403, "invalid_scope"),
    (
        lambda key, user: key.service_links.update(expires_at=timezone.now()),
        403,
        "invalid_scope",
    ),
    (
        lambda key, user: key.institution_links.all().delete(),
        403,
        "unauthorized_client",
    ),
    (
        lambda key, user: key.institutions.update(is_active=False),
        403,
        "unauthorized_client",
    ),
    (lambda key, user: type(user).objects.update(is_active=False), 400, "invalid_grant"),
    (
        lambda key, user: type(user).objects.update(
            institution=factories.InstitutionFactory(registry_id="1002")
        ),
        400,
        "invalid_grant",
    ),
]
STATUS_NAMES = [
    *("key canceled", "key expired", "service off the key", "service canceled"),
    *("service expired", "institution off the key", "institution inactive"),
    *("user disabled", "user elsewhere"),
]


@pytest.mark.parametrize(("end", "status", "error"), STATUSES, ids=STATUS_NAMES)
def test_what_has_ended_stops_redeeming(
    token, code_request, public, user, end, status, error
):
    asked = code_request()

    end(public, user)

    assert_error(token.query(**asked), status, error)
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize(("end", "status", "error"), STATUSES, ids=STATUS_NAMES)
def test_what_has_ended_stops_refreshing(
    token, refreshable, public, user, end, status, error
):
    end(public, user)

    assert_error(refresh(token, refreshable["refresh_token"]), status, error)
    assert AccessToken.objects.count() == 1


def test_the_refusals_have_the_texts_of_the_spec(token, code_request, public):
    asked = code_request()
    public.service_links.filter(service__code="calendar_events").update(status="canceled")
    canceled = token.query(**asked).json()["message"]
    public.service_links.update(status="active")
    public.institution_links.all().delete()

    assert canceled == "Invalid scope(s): calendar_events (Calendar Events) [Canceled]"
    assert token.query(**asked).json()["message"] == (
        "clientId spa doesn't have access to contextInstitutionId 1001"
    )
