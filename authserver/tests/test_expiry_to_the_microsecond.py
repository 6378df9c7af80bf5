"""What expires is over at the exact moment, and works a microsecond before it.

The clock stands still, so that ``<=`` and ``<`` differ, in Python and in SQL.
"""

from datetime import timedelta

import pytest
from django.utils import timezone

from authserver import models, retention
from authserver.authorization import consents, granted_access, pending
from authserver.tests import factories
from authserver.tests.oauth_client import (
    REDIRECT,
    TokenClient,
    basic,
    new_code,
    new_verifier,
    refresh,
)
from platform_errors.tests.clients import authorization

EVENTS = "/platform/events/v1/events"
PRECISELY = [
    pytest.param(timedelta(0), False, id="at the moment"),
    pytest.param(timedelta(microseconds=1), True, id="a microsecond before"),
]
pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db,
    pytest.mark.usefixtures("clock"),
    pytest.mark.parametrize(("left", "works"), PRECISELY),
]


@pytest.fixture
def moment(clock, left):
    return timezone.now() + left


@pytest.fixture
def expire(moment):
    """Let every row of a model expire then."""

    def expire_rows(model, column="expires_at"):
        assert model.objects.update(**{column: moment}) > 0

    return expire_rows


@pytest.fixture
def access_token(alice, key):
    return factories.AccessTokenFactory(
        user=alice, application=key, token_text="tk_1", scope="calendar_events"
    )


@pytest.fixture
def redeem(alice, key):
    """Redeem a code that was issued before."""
    verifier = new_verifier()
    code = new_code(
        user=alice, key=key, scope="calendar_events refresh_token", verifier=verifier
    )
    return lambda: TokenClient().query(
        grant_type="authorization_code",
        code=code,
        client_id="spa",
        redirect_uri=REDIRECT,
        code_verifier=verifier,
    )


def bearer(client):
    return client.get(EVENTS, headers={"authorization": "Bearer tk_1"}).status_code


def signed(client):
    header = authorization("GET", EVENTS, client_id="web", secret="a secret")
    return client.get(EVENTS, headers={"authorization": header}).status_code


@pytest.mark.usefixtures("access_token")
@pytest.mark.parametrize(
    ("model", "column", "refused"),
    [
        (models.AccessToken, "expires", 401),
        (models.ServiceKey, "expires_at", 401),
        (models.KeyService, "expires_at", 403),
    ],
)
def test_a_bearer_call(client, expire, works, model, column, refused):
    expire(model, column)

    assert bearer(client) == (200 if works else refused)


@pytest.mark.usefixtures("confidential_key")
@pytest.mark.parametrize(
    ("model", "refused"), [(models.ServiceKey, 401), (models.KeyService, 403)]
)
def test_a_signed_call(client, expire, works, model, refused):
    expire(model)

    assert signed(client) == (200 if works else refused)


@pytest.mark.parametrize(
    ("model", "column", "refused"),
    [
        (models.Grant, "expires", 400),
        (models.ServiceKey, "expires_at", 401),
        (models.KeyService, "expires_at", 403),
    ],
)
def test_redeeming_a_code(redeem, expire, works, model, column, refused):
    expire(model, column)

    assert redeem().status_code == (200 if works else refused)


@pytest.mark.parametrize(
    ("model", "refused"),
    [(models.RefreshToken, 400), (models.ServiceKey, 401), (models.KeyService, 403)],
)
def test_refreshing(redeem, expire, works, model, refused):
    held = redeem().json()["refresh_token"]
    expire(model)

    assert refresh(TokenClient(), held).status_code == (200 if works else refused)


@pytest.mark.usefixtures("access_token", "confidential_key")
@pytest.mark.parametrize("what", ["token", "key", "service"])
def test_introspection(key, moment, works, what):
    if what == "token":
        models.AccessToken.objects.update(expires=moment)
    elif what == "key":
        models.ServiceKey.objects.filter(pk=key.pk).update(expires_at=moment)
    else:
        key.service_links.update(expires_at=moment)

    response = TokenClient("/oauth2/introspect").form(
        {"authorization": basic("web", "a secret")}, token="tk_1"
    )

    assert response.json()["active"] is works


@pytest.mark.parametrize("model", [models.ServiceKey, models.KeyService])
def test_an_authorization_request(client, address, key, expire, works, model):
    url = address(key)
    expire(model)

    location = client.get(url)["Location"]

    assert ("error=" in location) is not works


@pytest.mark.parametrize("step", ["load", "choose", "answer"])
def test_a_pending_request(found, handle, alice, expire, moment, left, works, step):
    now = moment - left
    expire(models.PendingRequest)
    does = True
    try:
        if step == "load":
            does = pending.load(handle, binding="browser", now=now) is not None
        elif step == "choose":
            pending.choose_institution(found, "1001", now=now)
        else:
            pending.issue_code(found, user=alice, granted={"calendar_events"}, now=now)
    except pending.RequestAlreadyUsed:
        does = False

    assert does is works


def test_a_remembered_consent(alice, key, riverside, moment, left, works):
    now = moment - left
    earlier = {"granted_at": now - timedelta(days=1), "expires_at": moment}
    factories.ConsentFactory(user=alice, key=key, institution=riverside, **earlier)
    whose = {"user_id": alice.pk, "key_id": key.pk, "institution_id": riverside.pk}

    assert bool(consents.granted_before(**whose, now=now)) is works


@pytest.mark.parametrize("held", ["access", "refresh", "consent"])
def test_what_an_application_holds(alice, key, moment, left, works, held):
    now = moment - left
    whose = {"user": alice, "application": key}
    if held == "access":
        factories.AccessTokenFactory(**whose, expires=moment)
    elif held == "refresh":
        factories.RefreshTokenFactory(**whose, expires_at=moment)
    else:
        factories.ConsentFactory(
            user=alice,
            key=key,
            institution=alice.institution,
            granted_at=now - timedelta(days=1),
            expires_at=moment,
        )

    assert bool(granted_access.applications_for(alice, now)) is works


def test_a_key_in_a_list_of_active_ones(key, expire, moment, left, works):
    expire(models.ServiceKey)

    assert models.ServiceKey.objects.active(moment - left).exists() is works
    assert models.ServiceKey.objects.get().is_usable(None) is works


def test_what_clear_expired_removes(moment, left, works):
    now = moment - left
    long_ago = now - timedelta(days=1)
    rows = [
        factories.PendingRequestFactory(expires_at=moment, created_at=long_ago),
        factories.GrantFactory(expires=moment),
        factories.AccessTokenFactory(expires=moment),
        factories.RefreshTokenFactory(expires_at=moment),
        factories.ConsentFactory(granted_at=long_ago, expires_at=moment),
        factories.SessionFactory(expire_date=moment),
    ]

    retention.clear(now)

    kept = [type(row).objects.filter(pk=row.pk).exists() for row in rows]
    assert kept == [works] * len(rows)


@pytest.mark.parametrize("kind", ["access", "refresh"])
def test_a_spent_code_stays_while_its_tokens_live(moment, left, works, kind):
    now = moment - left
    grant = factories.GrantFactory(expires=now - timedelta(days=1), redeemed_at=now)
    if kind == "access":
        factories.AccessTokenFactory(token_family=grant.token_family, expires=moment)
    else:
        factories.RefreshTokenFactory(token_family=grant.token_family, expires_at=moment)

    retention.clear(now)

    assert models.Grant.objects.filter(pk=grant.pk).exists() is works
