"""Django admin: service keys are canceled and restored, at any size, and found in time."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from authserver.models import AccessToken, AuditEvent, KeyInstitution, ServiceKey
from authserver.tests import factories

pytestmark = pytest.mark.django_db


def page(name, *arguments):
    return reverse(f"admin:authserver_{name}", args=arguments)


@pytest.fixture
def wide_key():
    """A key with more institutions than a form may have fields for."""
    key = factories.ServiceKeyFactory(name="Consortium", client_id="wide")
    institutions = factories.InstitutionFactory.create_batch(340)
    KeyInstitution.objects.bulk_create(
        KeyInstitution(key=key, institution=each) for each in institutions
    )
    return key


def status(key):
    return ServiceKey.objects.get(pk=key.pk).status


def names(desk):
    cells = desk.page.xpath("//*[@id='result_list']//th/a")
    return sorted(cell.text for cell in cells)


def test_a_key_is_canceled_and_restored_from_its_page(desk):
    key = factories.ServiceKeyFactory(client_id="reading")
    token = factories.AccessTokenFactory(application=key)

    desk.open(page("servicekey_change", key.pk)).follow("Cancel the key")
    assert "stops working at once" in desk.text
    desk.press("Cancel the key")
    assert (status(key), "The key is canceled." in desk.text) == ("canceled", True)
    desk.follow("Restore the key").press("Restore the key")

    assert status(key) == "active"
    assert AccessToken.objects.get(pk=token.pk).revoked_at is not None
    changes = AuditEvent.objects.filter(action="key_changed").order_by("pk")
    assert [event.details["values"] for event in changes] == [
        ["Status: active → canceled"],
        ["Status: canceled → active"],
    ]
    assert {(event.actor, event.client_id) for event in changes} == {("admin", "reading")}


@pytest.mark.parametrize("to", ["canceled", "active"])
def test_a_second_click_does_not_take_the_first_back(desk, to):
    before = {"canceled": "active", "active": "canceled"}[to]
    key = factories.ServiceKeyFactory(status=before)
    desk.open(page("servicekey_switch", key.pk))
    form = dict(desk.page.forms[-1].form_values())

    for _ in range(2):
        desk.send(page("servicekey_switch", key.pk), form)

    assert status(key) == to
    assert AuditEvent.objects.filter(action="key_changed").count() == 1


def test_a_status_that_does_not_exist_changes_nothing(desk):
    key = factories.ServiceKeyFactory()
    desk.open(page("servicekey_switch", key.pk))
    form = dict(desk.page.forms[-1].form_values())

    desk.send(page("servicekey_switch", key.pk), form | {"to": "gone"})

    assert (status(key), "Nothing was chosen." in desk.text) == ("active", True)


@pytest.mark.parametrize(
    ("action", "before", "after"),
    [("cancel", "active", "canceled"), ("restore", "canceled", "active")],
)
def test_keys_are_canceled_and_restored_from_the_list(desk, action, before, after):
    chosen = factories.ServiceKeyFactory.create_batch(2, status=before)
    other = factories.ServiceKeyFactory(status=before)
    unchanged = factories.ServiceKeyFactory(status=after)

    desk.open(page("servicekey_changelist"))
    desk.press(
        "Go", action=action, _selected_action=[str(key.pk) for key in [*chosen, unchanged]]
    )

    assert [status(key) for key in chosen] == [after] * 2
    assert status(other) == before
    assert f"{action.title()}{'ed' if action == 'cancel' else 'd'}: 2." in desk.text
    assert AuditEvent.objects.filter(action="key_changed").count() == 2


def test_a_key_with_very_many_institutions_is_saved_and_canceled(desk, wide_key):
    desk.open(page("servicekey_change", wide_key.pk))
    desk.press("_save=Save", name="Renamed")
    assert ServiceKey.objects.get(pk=wide_key.pk).name == "Renamed"

    desk.open(page("servicekey_switch", wide_key.pk)).press("Cancel the key")

    assert status(wide_key) == "canceled"
    assert wide_key.institutions.count() == 340


def test_very_many_institutions_are_a_list_of_their_own(desk, wide_key):
    elsewhere = factories.KeyInstitutionFactory(institution__name="Elsewhere")

    desk.open(page("servicekey_change", wide_key.pk)).follow("340 institutions")

    assert "340 institutions on keys" in desk.text
    assert str(elsewhere.institution) not in desk.page.text_content().split("Filter")[0]


def test_a_status_is_changed_by_a_form_alone_and_by_who_may_change_keys(desk, client):
    key = factories.ServiceKeyFactory()
    clerk = factories.UserFactory(institution=None, is_staff=True)

    desk.open(page("servicekey_switch", key.pk))  # looked at
    client.force_login(clerk)
    refused = client.post(page("servicekey_switch", key.pk))

    assert refused.status_code == 403
    assert status(key) == "active"


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ("7", ["this week"]),
        ("30", ["this month", "this week"]),
        ("90", ["this month", "this quarter", "this week"]),
        ("expired", ["expired"]),
        ("never", ["never"]),
        ("tomorrow", []),
    ],
)
def test_keys_are_found_by_when_they_expire(desk, chosen, found):
    now = timezone.now()
    for name, days in (
        *(("expired", -1), ("this week", 6), ("this month", 29)),
        *(("this quarter", 89), ("this year", 300)),
    ):
        factories.ServiceKeyFactory(name=name, expires_at=now + timedelta(days=days))
    factories.ServiceKeyFactory(name="never", expires_at=None)

    desk.open(f"{page('servicekey_changelist')}?expires={chosen}")

    everything = [*("expired", "never", "this month", "this quarter", "this week")]
    assert names(desk) == (found or [*everything, "this year"])


def test_the_list_says_of_a_key_whether_it_works(desk):
    past = timezone.now() - timedelta(seconds=1)
    factories.ServiceKeyFactory(name="expired", expires_at=past)
    factories.ServiceKeyFactory(name="canceled", status="canceled", expires_at=past)
    factories.ServiceKeyFactory(name="working")

    desk.open(page("servicekey_changelist"))

    rows = desk.page.xpath("//*[@id='result_list']/tbody/tr")
    states = {
        row.xpath("string(.//th)").strip(): row.xpath(
            "string(.//*[contains(@class, 'field-state')])"
        ).strip()
        for row in rows
    }
    assert states == {"expired": "Expired", "canceled": "Canceled", "working": "Active"}


# --- What the record says -----------------------------------------------------------------


def test_the_record_says_from_what_to_what(desk, alice, northgate):
    desk.open(page("user_change", alice.pk))
    desk.press("_save=Save", full_name="A" * 200, email="new@example.org")

    event = AuditEvent.objects.get(action="account_changed")
    values = event.details["values"]
    assert f"Full name: {alice.full_name} → {'A' * 200}" in values
    assert f"Email: {alice.email or 'nothing'} → new@example.org" in values


def test_the_record_has_no_password(desk, riverside):
    desk.open(page("user_add"))
    desk.press(
        "_save=Save",
        institution=str(riverside.pk),
        username="new",
        password1="a long enough phrase",
        password2="a long enough phrase",
    )

    assert "a long enough phrase" not in str(list(AuditEvent.objects.values()))


def test_a_row_is_named_and_not_numbered_in_the_record(desk, alice, northgate):
    desk.open(page("user_change", alice.pk))
    desk.press("_save=Save", institution=str(northgate.pk))

    values = AuditEvent.objects.filter(action="account_changed").last().details["values"]
    assert f"Institution: Riverside University (1001) → {northgate}" in values
