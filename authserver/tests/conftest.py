"""The cast, a request of theirs under way, and a visitor to play the pages with."""

import base64
import datetime as dt
import hashlib
from urllib.parse import urlencode, urlsplit

import pytest
from django.utils import timezone

from authserver.authorization import pending, requests
from authserver.tests import factories
from authserver.tests.visitor import Visitor

PASSWORD = factories.PASSWORD
CALLBACK = "https://client.example/cb"
VERIFIER = "v" * 43
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest())
    .rstrip(b"=")
    .decode()
)


@pytest.fixture
def riverside(db):
    return factories.InstitutionFactory(
        registry_id="1001", name="Riverside University", place="Riverside", code="RIVER"
    )


@pytest.fixture
def northgate(db):
    return factories.InstitutionFactory(
        registry_id="1002", name="Northgate Public Library", place="Northgate", code="NGATE"
    )


@pytest.fixture
def events_service(db):
    return factories.ServiceFactory(
        code="calendar_events",
        name="Calendar Events",
        description="See, create and change events.",
    )


@pytest.fixture
def directory_service(db):
    return factories.ServiceFactory(
        code="directory", name="Directory", description="Look people up."
    )


@pytest.fixture
def key(riverside, northgate, events_service, directory_service):
    """A public key for two institutions and two services."""
    return factories.ServiceKeyFactory(
        client_id="spa",
        name="Campus Planner",
        redirect_uris=f"{CALLBACK}\nhttp://127.0.0.1/callback\ncom.example.app:/cb",
        services=[events_service, directory_service],
        institutions=[riverside, northgate],
    )


@pytest.fixture
def confidential_key(riverside, northgate, events_service, directory_service):
    """A key with a secret, whose consents are remembered."""
    return factories.ServiceKeyFactory(
        client_id="web",
        name="Library Portal",
        redirect_uris=f"{CALLBACK}\nhttp://127.0.0.1/callback",
        secret="a secret",
        services=[events_service, directory_service],
        institutions=[riverside, northgate],
    )


@pytest.fixture
def alice(riverside):
    return factories.UserFactory(
        username="alice", institution=riverside, full_name="Alice Archer"
    )


@pytest.fixture
def visitor(db):
    return Visitor()


@pytest.fixture
def address():
    """Build the address that an application sends its user to."""

    def build(key, *, at="1001", endpoint="auth", **changes):
        parameters = {
            "client_id": key.client_id,
            "redirect_uri": CALLBACK,
            "response_type": "code",
            "scope": "calendar_events directory",
            "state": "some state/&=",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            **changes,
        }
        sent = {name: value for name, value in parameters.items() if value is not None}
        return f"/oauth2/{endpoint}{f'/{at}' if at else ''}?{urlencode(sent)}"

    return build


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def clock(time_machine):
    """Stand still at eight in the morning; ``clock(seconds)`` moves on."""
    time_machine.move_to(dt.datetime(2026, 11, 20, 8, tzinfo=dt.UTC), tick=False)
    return time_machine.shift


@pytest.fixture
def keep(address, key, now):
    """Validate a request and keep it for the browser ``"browser"``; return its handle."""

    def keep_request(scope="calendar_events directory refresh_token context:1001"):
        query = urlsplit(address(key, at=None, scope=scope)).query.encode()
        request = requests.validate(query, registry_id=None, now=now)
        return pending.store(request, binding="browser", now=now)[0]

    return keep_request


@pytest.fixture
def handle(keep):
    return keep()


@pytest.fixture
def found(handle, now):
    return pending.load(handle, binding="browser", now=now)


@pytest.fixture
def log_in(visitor):
    """Fill the login page that the visitor is on."""

    def fill(username="alice", password=PASSWORD):
        return visitor.press("Sign in", username=username, password=password)

    return fill


@pytest.fixture
def administrator():
    return factories.UserFactory(username="admin", administrator=True)


@pytest.fixture
def desk(administrator):
    """A browser in which the administrator is logged in."""
    visitor = Visitor()
    visitor.client.force_login(administrator)
    return visitor


@pytest.fixture
def mailbox(settings, mailoutbox):
    """Let mail be sent, by tasks that are done at once; return what was sent."""
    settings.AUTHSERVER = {**settings.AUTHSERVER, "SENDS_MAIL": True}
    settings.TASKS = {
        "default": {"BACKEND": "django_tasks.backends.immediate.ImmediateBackend"}
    }
    return mailoutbox


@pytest.fixture
def held(alice, key):
    """What an application holds for alice, and what another holds for bob."""
    of_alice = {"user": alice, "application": key, "institution": alice.institution}
    bob = factories.UserFactory(username="bob", institution=alice.institution)
    of_bob = {**of_alice, "user": bob}
    return [
        [
            factories.AccessTokenFactory(**whose),
            factories.RefreshTokenFactory(**whose),
            factories.GrantFactory(**whose),
        ]
        for whose in (of_alice, of_bob)
    ]
