"""Two institutions with everything in both, and staff of every role."""

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django_tasks_db.management.commands import db_worker

from authserver.admin import audit
from authserver.tests import factories
from calendar_events.tests import factories as calendar
from config.background import worker
from institution_admin import InstitutionScopedAdmin

PASSWORD = factories.PASSWORD


class Staff:
    """Somebody in Django admin."""

    def __init__(self, user):
        self.user = user
        self.client = Client(raise_request_exception=True)
        self.client.force_login(user)

    def get(self, address, **query):
        return self.client.get(address, query)

    def post(self, address, **fields):
        return self.client.post(address, fields)


class World:
    """What belongs to one institution."""

    def __init__(self, registry_id, name):
        self.institution = factories.InstitutionFactory(registry_id=registry_id, name=name)
        at_home = {"institution": self.institution}
        self.person = factories.UserFactory(username="person", **at_home)
        self.key = factories.ServiceKeyFactory(name=f"Key of {name}")
        self.key_service = factories.KeyServiceFactory(key=self.key)
        self.key_institution = factories.KeyInstitutionFactory(key=self.key, **at_home)
        owned = {"user": self.person, "application": self.key, **at_home}
        self.grant = factories.GrantFactory(**owned)
        self.access_token = factories.AccessTokenFactory(**owned)
        self.refresh_token = factories.RefreshTokenFactory(**owned)
        self.consent = factories.ConsentFactory(user=self.person, key=self.key, **at_home)
        self.pending = factories.PendingRequestFactory(key=self.key, **at_home)
        self.audit = factories.AuditEventFactory(registry_id=registry_id)
        record = {"institution": registry_id, "author": self.person}
        self.image = calendar.ImageFactory(title=f"Picture of {name}", **record)
        self.venue = calendar.VenueFactory(name=f"Hall of {name}", **record)
        self.organizer = calendar.OrganizerFactory(name=f"Friends of {name}", **record)
        self.category = calendar.CategoryFactory(institution=registry_id)
        self.event = calendar.EventFactory(title=f"Evening at {name}", **record)
        self.draft = calendar.EventFactory(
            title=f"Draft of {name}", status="draft", **record
        )
        self.webhook = calendar.WebhookSubscriptionFactory(
            institution=registry_id, client_id=self.key.client_id
        )
        self.delivery = calendar.WebhookDeliveryFactory(subscription=self.webhook)
        self.sign_in_method = factories.SignInMethodFactory(**at_home)
        self.sign_in_rules = factories.SignInRulesFactory(**at_home)

    @property
    def rows(self):
        return [
            *(self.institution, self.person, self.key, self.key_service),
            *(self.key_institution, self.grant, self.access_token, self.refresh_token),
            *(self.consent, self.pending, self.audit, self.image, self.venue),
            *(self.organizer, self.category, self.event, self.draft),
            *(self.webhook, self.delivery, self.sign_in_method, self.sign_in_rules),
        ]


@pytest.fixture
def here(db):
    return World("1001", "Riverside")


@pytest.fixture
def there(db):
    return World("1002", "Northgate")


@pytest.fixture
def staff(db):
    """Return somebody with roles: ``staff("editor", at=institution)``."""

    def make(*roles, at=None, **fields):
        user = factories.UserFactory(institution=at, is_staff=at is None, **fields)
        user.groups.set(Group.objects.filter(name__in=roles))
        assert user.groups.count() == len(roles)
        return Staff(user)

    return make


@pytest.fixture
def ines(staff, here):
    return staff("institution administrator", at=here.institution, username="ines")


@pytest.fixture
def oscar(staff):
    return staff("platform operator", username="oscar")


@pytest.fixture
def uma(staff):
    return staff("auditor", username="uma")


@pytest.fixture
def kim(staff):
    return staff("key manager", username="kim")


@pytest.fixture
def work(monkeypatch):
    """Return a function that does what waits in the background, as a new worker."""
    for module in (worker, db_worker):  # the connection has the test's transaction
        monkeypatch.setattr(module, "close_old_connections", lambda: None)

    def work():
        worker.Worker().run_once()

    return work


@pytest.fixture
def _few_are_many(monkeypatch):
    """Let three rows be the most that one statement of an export reads."""
    monkeypatch.setattr(audit, "ROWS_OF_STATEMENT", 3)


@pytest.fixture
def record(here, there):
    """Six entries of each institution; who signs in makes the seventh."""
    for registry_id in ("1001", "1002"):
        factories.AuditEventFactory.create_batch(
            5, registry_id=registry_id, request_id=f"request-at-{registry_id}"
        )


@pytest.fixture
def _pages_are_short(monkeypatch):
    """Let three rows be a page of a list."""
    monkeypatch.setattr(InstitutionScopedAdmin, "list_per_page", 3)
    monkeypatch.setattr("calendar_events.admin.base.RecordAdmin.list_per_page", 3)
