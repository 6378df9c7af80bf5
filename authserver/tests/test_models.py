"""What the tables promise, asked of the database itself."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import IntegrityError, NotSupportedError, transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from authserver import models
from authserver.audit import pruning
from authserver.tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FACTORIES = [
    factories.InstitutionFactory,
    factories.UserFactory,
    factories.ServiceFactory,
    factories.ServiceKeyFactory,
    factories.KeyServiceFactory,
    factories.KeyInstitutionFactory,
    factories.PendingRequestFactory,
    factories.GrantFactory,
    factories.AccessTokenFactory,
    factories.RefreshTokenFactory,
    factories.IDTokenFactory,
    factories.ConsentFactory,
    factories.AuditEventFactory,
    factories.RefusalCountFactory,
    factories.KeyRefusalFactory,
    factories.SecretLinkFactory,
    factories.SessionFactory,
    factories.SignInMethodFactory,
    factories.SignInRulesFactory,
    factories.RoleRuleFactory,
]


@pytest.mark.parametrize("build", FACTORIES)
def test_every_factory_makes_a_valid_row_with_a_telling_text(build):
    first, second = build(), build()

    first.full_clean(exclude=["token", "password"])

    assert str(first) != str(second)


def test_there_is_a_factory_for_every_model():
    made = {build._meta.model for build in FACTORIES}
    through = {models.User.groups.through, models.User.user_permissions.through}

    assert (
        made
        == set(apps.get_app_config("authserver").get_models(include_auto_created=True))
        - through
    )


def test_a_username_is_unique_within_its_institution_only():
    alice = factories.UserFactory(username="alice")
    factories.UserFactory(username="alice")

    with pytest.raises(IntegrityError), transaction.atomic():
        factories.UserFactory(username="ALICE", institution=alice.institution)


def test_a_login_is_made_of_username_and_institution():
    user = factories.UserFactory(username="\uff21lice", institution__registry_id="1001")

    assert user.login == "alice@1001"
    assert user.principal_namespace == "urn:platform:1001"
    assert models.User.objects.get_by_natural_key("ALICE@1001") == user


def test_an_administrator_has_no_institution_in_the_login():
    admin = models.User.objects.create_superuser("Admin", "secret")

    assert admin.login == "admin"
    assert admin.is_staff
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.UserFactory(administrator=True, username="admin@1001")


def test_moving_a_user_moves_the_login():
    user = factories.UserFactory(username="alice")
    user.institution = factories.InstitutionFactory(registry_id="1002")

    user.save(update_fields=["institution"])

    user.refresh_from_db()
    assert user.login == "alice@1002"


@pytest.mark.parametrize("name", ["", "a b", "a\x00b", "a\nb", "x" * 151])
def test_a_username_without_sense_is_refused(name):
    user = factories.UserFactory.build(username=name, institution=None)

    with pytest.raises(ValidationError) as caught:
        user.full_clean()

    assert "username" in caught.value.message_dict


def test_two_users_cannot_be_the_same_principal():
    user = factories.UserFactory()

    with pytest.raises(IntegrityError), transaction.atomic():
        factories.UserFactory(
            principal_id=user.principal_id, principal_namespace=user.principal_namespace
        )


@pytest.mark.parametrize("registry_id", ["", "12a", "१२"])
def test_a_registry_identifier_is_digits(registry_id):
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.InstitutionFactory(registry_id=registry_id)


@pytest.mark.parametrize("text", ["universite", "UNIVERSITÉ lyon", "lyo", "uly", "1234"])
def test_an_institution_is_found_by_name_place_code_or_identifier(text):
    found = factories.InstitutionFactory(
        name="Université de Savoie", place="Lyon", code="ULY", registry_id="12345"
    )
    factories.InstitutionFactory(name="Other", place="Elsewhere", code="OTH")

    assert list(models.Institution.objects.matching(text)) == [found]


def test_renaming_an_institution_changes_what_it_is_found_by():
    institution = factories.InstitutionFactory(name="Old")
    institution.name = "New"

    institution.save(update_fields=["name"])

    assert models.Institution.objects.matching("new").get() == institution


@pytest.mark.parametrize("code", ["", "a b", "refresh_token", "context:1001", "a\tb", "é"])
def test_a_service_code_is_a_scope_and_no_switch(code):
    with pytest.raises(ValidationError):
        factories.ServiceFactory.build(code=code).full_clean()
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.ServiceFactory(code=code)


def test_a_key_with_a_secret_is_confidential_and_the_secret_is_encrypted():
    key = factories.ServiceKeyFactory(secret="demo-hmac-secret")

    assert key.client_type == "confidential"
    assert key.has_secret
    assert "demo-hmac-secret" not in key.encrypted_secret
    assert key.secrets == (b"demo-hmac-secret",)
    assert key.client_secret == ""


def test_a_rotation_keeps_two_live_secrets_until_the_old_one_is_dropped():
    key = factories.ServiceKeyFactory(secret="old")

    new = key.rotate_secret(now=timezone.now())
    key.save()
    both = key.secrets
    key.drop_previous_secret()
    key.save()

    assert both == (new.encode(), b"old")
    assert key.secrets == (new.encode(),)
    assert new.isalnum()


@pytest.mark.parametrize(
    "column",
    [
        {"client_secret": "pbkdf2_sha256$…"},
        {"client_type": "confidential"},
        {"encrypted_secret": "x"},
        {"encrypted_previous_secret": "x"},
        {"status": "odd"},
        {"client_id": ""},
    ],
)
def test_the_database_refuses_a_key_that_contradicts_itself(column):
    key = factories.ServiceKeyFactory()

    with pytest.raises(IntegrityError), transaction.atomic():
        models.ServiceKey.objects.filter(pk=key.pk).update(**column)


@pytest.mark.parametrize(
    "build", [factories.AccessTokenFactory, factories.RefreshTokenFactory]
)
def test_the_database_refuses_a_token_in_the_clear(build):
    with pytest.raises(IntegrityError), transaction.atomic():
        build(token="tk_clear")
    with pytest.raises(IntegrityError), transaction.atomic():
        build(token_checksum="tk_clear")


def test_the_database_refuses_a_code_in_the_clear():
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.GrantFactory(code="auth_clear")


def test_one_consent_per_application_is_live():
    consent = factories.ConsentFactory()
    same = {"user": consent.user, "key": consent.key}

    with pytest.raises(IntegrityError), transaction.atomic():
        factories.ConsentFactory(**same)
    models.Consent.objects.filter(pk=consent.pk).update(revoked_at=timezone.now())

    assert factories.ConsentFactory(**same).scopes == {"calendar_events"}


def test_an_audit_event_can_be_neither_changed_nor_deleted():
    event = factories.AuditEventFactory()

    with pytest.raises(DatabaseError), transaction.atomic():
        models.AuditEvent.objects.filter(pk=event.pk).update(actor="mallory")
    with pytest.raises(DatabaseError), transaction.atomic():
        models.AuditEvent.objects.filter(pk=event.pk).delete()

    event.refresh_from_db()
    assert event.actor == "alice@1001"


def test_an_audit_event_can_be_pruned_where_that_is_said():
    event = factories.AuditEventFactory()

    with pruning():
        models.AuditEvent.objects.filter(pk=event.pk).delete()

    assert not models.AuditEvent.objects.exists()


def test_pruning_does_not_open_the_record_to_changes():
    event = factories.AuditEventFactory()

    with pytest.raises(DatabaseError), pruning():
        models.AuditEvent.objects.filter(pk=event.pk).update(actor="mallory")


def test_the_toolkit_takes_no_dead_key_or_token_for_live():
    key = factories.ServiceKeyFactory(secret="s", expired=True)
    token = factories.AccessTokenFactory()
    token.revoke()
    token.refresh_from_db()

    assert not key.is_usable(None)
    assert not token.is_valid()
    assert factories.ServiceKeyFactory().is_usable(None)
    assert not factories.ServiceKeyFactory(canceled=True).is_usable(None)
    assert list(models.AccessToken.objects.live(timezone.now() - timedelta(days=1))) == []


@pytest.mark.django_db(transaction=True)
def test_the_guard_does_not_hinder_the_flush_between_tests():
    factories.AuditEventFactory()

    assert models.AuditEvent.objects.count() == 1


@pytest.mark.parametrize("fields", [None, ["registry_id"], ["name"]])
def test_a_stored_registry_identifier_cannot_be_changed_in_code(fields):
    institution = factories.InstitutionFactory(registry_id="1002")
    institution.registry_id = "2999"

    with pytest.raises(models.institution.RegistryIdIsFixed):
        institution.save(update_fields=fields)
    with pytest.raises(models.institution.RegistryIdIsFixed):
        models.Institution.objects.filter(pk=institution.pk).update(registry_id="2999")
    with pytest.raises(models.institution.RegistryIdIsFixed), transaction.atomic():
        models.Institution.objects.bulk_update([institution], ["registry_id"])

    institution.refresh_from_db()
    assert institution.registry_id == "1002"


def test_an_institution_is_renamed_by_save_alone_which_keeps_what_is_searched():
    institution = factories.InstitutionFactory(name="Old Mill")
    institution.name = "Harbour Café"
    rows = models.Institution.objects.filter(pk=institution.pk)

    with pytest.raises(NotSupportedError):
        rows.update(name="Harbour Café")
    with pytest.raises(NotSupportedError), transaction.atomic():
        rows.bulk_update([institution], ["name"])
    institution.save(update_fields=["name"])

    assert models.Institution.objects.matching("harbour cafe").count() == 1
    assert not models.Institution.objects.matching("old mill").exists()


def test_an_institution_that_is_made_with_others_is_found_by_its_name():
    models.Institution.objects.bulk_create(
        [models.Institution(registry_id="4711", name="Harbour Café")]
    )

    assert models.Institution.objects.matching("harbour cafe").count() == 1


def test_a_registry_identifier_is_not_changed_in_bulk():
    institution = factories.InstitutionFactory()
    institution.registry_id = "999"

    with pytest.raises(models.institution.RegistryIdIsFixed):
        models.Institution.objects.bulk_update([institution], ["registry_id"])
