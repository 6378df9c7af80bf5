"""Accounts and keys, many at once: each as far as the rights of who acts go."""

import pytest

from authserver.models import AuditEvent, ServiceKey, User
from authserver.tests import factories
from config.tests.administration import pages
from config.tests.administration.exports import only

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_pages_are_short")]


def test_accounts_are_changed_as_far_as_their_rights_go(ines, here, work):
    factories.UserFactory.create_batch(4, institution=here.institution)
    above = factories.UserFactory(institution=here.institution, is_staff=True)
    pages.act(ines, User, "require_new_password")

    work()

    above.refresh_from_db()
    job = only()
    assert not above.must_change_password
    assert job.left == {
        "Not changed, because they have more rights than you": 1,
        "Not changed, because it is your own account": 1,
    }
    assert job.done == job.total - 2
    events = AuditEvent.objects.filter(action="password_change_required")
    assert events.count() == job.done
    assert set(events.values_list("actor", "address")) == {("ines@1001", "127.0.0.1")}
    assert set(events.values_list("request_id", flat=True)) == {job.request_id}


def test_keys_are_canceled(oscar, here, there, work):
    factories.ServiceKeyFactory.create_batch(4)

    pages.act(oscar, ServiceKey, "cancel")
    work()

    assert not ServiceKey.objects.filter(status="active").exists()
    assert only().done == 6
