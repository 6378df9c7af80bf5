"""The pending request: on the server, one browser's, consumed once (decisions 3.6)."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone

from authserver.authorization import pending
from authserver.authorization.requests import AuthorizationError
from authserver.crypto import opaque
from authserver.models import AuditEvent, Grant, PendingRequest, Session
from authserver.tests import factories
from authserver.tests.conftest import CHALLENGE
from authserver.tests.visitor import Visitor

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

STATE = "some state/&="
ALL = {"calendar_events", "directory", "refresh_token"}


def query_of(url):
    return {name: value for name, (value,) in parse_qs(urlsplit(url).query).items()}


def test_a_stored_request_comes_back_as_it_was(found):
    request = found.request

    assert request.key.client_id == "spa"
    assert request.redirect_uri == "https://client.example/cb"
    assert str(request.scopes) == "calendar_events directory refresh_token context:1001"
    assert (request.state, request.institution) == (STATE, "1001")
    assert request.code_challenge == CHALLENGE


def test_neither_handle_nor_binding_is_stored(handle):
    row = PendingRequest.objects.get()

    assert handle not in (row.handle, row.binding)
    assert row.binding == opaque.digest("browser")


def test_another_browser_cannot_load_it(handle, now):
    assert pending.load(handle, binding="other", now=now) is None
    assert pending.load(handle, binding="", now=now) is None


@pytest.mark.parametrize("handle", ["", "nope", "\x00", "\ud800"])
def test_an_unknown_handle_is_none(handle, now):
    assert pending.load(handle, binding="browser", now=now) is None


def test_an_address_that_is_no_longer_registered_gets_nothing(handle, key, now):
    key.redirect_uris = "https://client.example/new"
    key.save()

    assert pending.load(handle, binding="browser", now=now) is None


def test_it_lasts_ten_minutes(handle, now):
    last = now + timedelta(seconds=599)

    assert pending.load(handle, binding="browser", now=last) is not None
    assert pending.load(handle, binding="browser", now=now + timedelta(minutes=10)) is None


def test_granting_issues_a_hashed_code_and_records_it(found, alice, now):
    url = pending.issue_code(found, user=alice, granted=ALL, now=now)

    reply = query_of(url)
    assert reply.keys() == {"code", "state", "iss"}
    assert (reply["state"], reply["iss"]) == (STATE, "http://testserver")
    assert reply["code"].startswith("auth_")
    grant = Grant.objects.get()
    assert grant.code == opaque.digest(reply["code"])
    assert grant.scope == "calendar_events directory refresh_token context:1001"
    assert (grant.user, grant.institution) == (alice, alice.institution)
    assert grant.expires == now + timedelta(seconds=60)
    event = AuditEvent.objects.get()
    assert (event.action, event.actor, event.subject) == (
        "access_granted",
        "alice@1001",
        "alice@1001",
    )
    assert (event.client_id, event.registry_id) == ("spa", "1001")
    assert reply["code"] not in str(event.details)


def test_scopes_can_be_narrowed_and_never_widened(found, alice, now):
    pending.issue_code(found, user=alice, granted={"directory", "billing"}, now=now)

    assert Grant.objects.get().scope == "directory context:1001"


@pytest.mark.parametrize("granted", [set(), {"refresh_token"}, {"billing"}])
def test_nothing_granted_counts_as_deny(found, alice, now, granted):
    url = pending.issue_code(found, user=alice, granted=granted, now=now)

    assert query_of(url)["error"] == "access_denied"
    assert not Grant.objects.exists()


def test_a_second_submit_gets_no_second_code(found, alice, now):
    pending.issue_code(found, user=alice, granted=ALL, now=now)

    with pytest.raises(pending.RequestAlreadyUsed):
        pending.issue_code(found, user=alice, granted=ALL, now=now)
    with pytest.raises(pending.RequestAlreadyUsed):
        pending.deny(found, now=now)
    with pytest.raises(pending.RequestAlreadyUsed):
        pending.choose_institution(found, "1001", now=now)
    assert Grant.objects.count() == 1


def test_it_expires_between_page_and_submit(found, alice, now):
    with pytest.raises(pending.RequestAlreadyUsed):
        pending.issue_code(found, user=alice, granted=ALL, now=now + timedelta(minutes=11))


def test_denying_says_so_to_the_application(found, alice, now):
    url = pending.deny(found, now=now, user=alice)

    assert query_of(url) == {
        "error": "access_denied",
        "error_description": "the user denied access",
        "http_code": "403",
        "state": STATE,
        "iss": "http://testserver",
    }
    assert AuditEvent.objects.get().action == "access_denied"


@pytest.mark.parametrize(
    ("change", "error", "http_code"),
    [
        (
            lambda key: key.__class__.objects.update(status="canceled"),
            "invalid_client_id",
            403,
        ),
        (
            lambda key: key.__class__.objects.update(expires_at=timezone.now()),
            "invalid_client_id",
            401,
        ),
        (lambda key: key.service_links.all().delete(), "invalid_scope", 403),
        (lambda key: key.service_links.update(status="canceled"), "invalid_scope", 403),
        (
            lambda key: key.institution_links.all().delete(),
            "access_denied_institution",
            403,
        ),
        (
            lambda key: key.institutions.update(is_active=False),
            "access_denied_institution",
            403,
        ),
    ],
    ids=[
        *("key canceled", "key expired", "service off the key", "service canceled"),
        *("institution off the key", "institution inactive"),
    ],
)
def test_what_changed_while_the_user_decided_counts(
    handle, key, alice, change, error, http_code
):
    change(key)

    later = timezone.now()
    found = pending.load(handle, binding="browser", now=later)
    with pytest.raises(AuthorizationError) as refused:
        pending.issue_code(found, user=alice, granted=ALL, now=later)

    assert (refused.value.error, refused.value.http_code) == (error, http_code)
    assert refused.value.location is not None
    assert not Grant.objects.exists()


def test_a_disabled_user_gets_no_code(found, alice, now):
    alice.is_active = False
    alice.save()

    with pytest.raises(AuthorizationError) as refused:
        pending.issue_code(found, user=alice, granted=ALL, now=now)

    assert (refused.value.error, refused.value.http_code) == ("access_denied", 403)


def test_a_user_of_another_institution_gets_no_code(found, now):
    with pytest.raises(AuthorizationError) as refused:
        pending.issue_code(found, user=factories.UserFactory(), granted=ALL, now=now)

    assert (refused.value.error, refused.value.http_code) == ("access_denied", 403)


@pytest.fixture
def undecided(keep, now):
    return pending.load(keep("calendar_events directory"), binding="browser", now=now)


def test_the_institution_is_chosen_later_and_kept(undecided, alice, now):
    chosen = pending.choose_institution(undecided, "1001", now=now)

    assert undecided.request.institution is None
    assert chosen.request.institution == "1001"
    assert PendingRequest.objects.get().institution == alice.institution


def test_without_an_institution_no_code_is_issued(undecided, alice, now):
    with pytest.raises(AuthorizationError):
        pending.issue_code(undecided, user=alice, granted=ALL, now=now)


@pytest.mark.parametrize("registry_id", ["1003", "nope", ""])
def test_an_institution_that_the_key_lacks_cannot_be_chosen(undecided, registry_id, now):
    with pytest.raises(AuthorizationError) as refused:
        pending.choose_institution(undecided, registry_id, now=now)

    assert (refused.value.error, refused.value.http_code) == (
        "access_denied_institution",
        403,
    )


def test_the_context_of_the_scope_cannot_be_overruled(found, now):
    with pytest.raises(AuthorizationError) as refused:
        pending.choose_institution(
            pending.Pending(
                pk=found.pk,
                request=found.request,
                asked_at=found.asked_at,
                expires_at=found.expires_at,
            ),
            "1002",
            now=now,
        )

    assert refused.value.error == "invalid_request"


# What anonymous requests leave behind goes as others come.


@pytest.fixture
def crowd(clock, address, key):
    """So many browsers ask once each and never come back."""

    def ask(browsers):
        for _ in range(browsers):
            Visitor().open(address(key))

    return ask


def test_new_requests_remove_expired_ones_and_the_sessions_of_their_browsers(crowd, clock):
    crowd(20)
    assert (PendingRequest.objects.count(), Session.objects.count()) == (20, 20)
    clock(30 * 60)  # ten minutes are over for the requests, thirty for the sessions

    crowd(4)

    assert (PendingRequest.objects.count(), Session.objects.count()) == (4, 4)


@pytest.mark.parametrize(("seconds", "left"), [(599, 21), (600, 16)])
def test_a_new_request_removes_at_most_a_few_and_none_before_its_time(
    crowd, clock, seconds, left
):
    crowd(20)
    clock(seconds)

    crowd(1)

    assert PendingRequest.objects.count() == left
    assert Session.objects.count() == 21
