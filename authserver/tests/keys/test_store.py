"""The key store: one round trip each, and everything that the checks need."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.models import JSONField
from django.utils import timezone

from authserver.keys import lookups
from authserver.keys.store import ServiceKeyStore, find_client
from authserver.models import ServiceKey
from authserver.tests import factories
from platform_errors.credentials import Service
from platform_errors.keys import get_key_store

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

store = ServiceKeyStore()
SOON = datetime(2099, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)


def test_the_configured_key_store_is_this_one():
    assert isinstance(get_key_store(), ServiceKeyStore)


def test_a_key_comes_with_everything_in_one_query(django_assert_num_queries):
    user = factories.UserFactory()
    inactive = factories.InstitutionFactory(inactive=True)
    key = factories.ServiceKeyFactory(
        secret="new",
        expires_at=SOON,
        old_generation=True,
        institutions=[user.institution, inactive],
    )
    link = factories.KeyServiceFactory(key=key, expires_at=SOON)

    with django_assert_num_queries(1):
        found, principal = store.find_key(
            key.client_id,
            principal_id=user.principal_id,
            principal_namespace=user.principal_namespace,
        )

    assert found.client_id == key.client_id
    assert (found.status, found.expires_at, found.old_generation) == ("active", SOON, True)
    assert found.secrets == (b"new",)
    assert found.services == {
        link.service.code: Service(
            code=link.service.code, name=link.service.name, status="active", expires_at=SOON
        )
    }
    assert found.institutions == {user.institution.registry_id}
    assert principal.user == user
    assert principal.institution == user.institution.registry_id
    assert principal.is_active is True


def test_both_secrets_of_a_rotation_are_returned():
    key = factories.ServiceKeyFactory(secret="old")
    new = key.rotate_secret(now=timezone.now())
    key.save()

    assert store.find_key(key.client_id).key.secrets == (new.encode(), b"old")


def test_a_secret_that_was_replaced_or_canceled_stops_working_at_once():
    key = factories.ServiceKeyFactory(secret="leaked")
    assert store.find_key(key.client_id).key.secrets == (b"leaked",)

    key.set_secret("fresh", now=timezone.now(), keep_previous=False)
    key.status = "canceled"
    key.save()

    found = store.find_key(key.client_id).key
    assert (found.secrets, found.status) == ((b"fresh",), "canceled")


def test_a_key_without_anything_is_empty():
    found, principal = store.find_key(factories.ServiceKeyFactory().client_id)

    assert (found.secrets, found.services, found.institutions) == ((), {}, frozenset())
    assert principal is None


@pytest.mark.parametrize("client_id", ["", "nope", "a\x00b", "\ud800", "x" * 5000, "é\n"])
def test_an_unknown_key_is_none_whatever_its_text(client_id):
    assert store.find_key(client_id) is None


@pytest.mark.parametrize(
    "principal", [("", ""), ("nope", "urn:x"), ("a\x00", "urn:x"), ("a", "\ud800")]
)
def test_an_unknown_principal_is_none_whatever_its_text(principal):
    factories.UserFactory(administrator=True, principal_id="")
    key = factories.ServiceKeyFactory()

    lookup = store.find_key(
        key.client_id, principal_id=principal[0], principal_namespace=principal[1]
    )

    assert lookup.principal is None


def test_a_disabled_principal_is_returned_as_such():
    user = factories.UserFactory(disabled=True)

    lookup = store.find_key(
        factories.ServiceKeyFactory().client_id,
        principal_id=user.principal_id,
        principal_namespace=user.principal_namespace,
    )

    assert lookup.principal.is_active is False


def test_a_token_comes_with_everything_in_one_query(django_assert_num_queries):
    user = factories.UserFactory()
    key = factories.ServiceKeyFactory(secret="s", institutions=[user.institution])
    link = factories.KeyServiceFactory(key=key, canceled=True)
    token = factories.AccessTokenFactory(
        token_text="tk_x", user=user, application=key, scope="a b", expires=SOON
    )

    with django_assert_num_queries(1):
        found = store.find_token("tk_x")

    assert found.institution == token.institution.registry_id
    assert (found.scopes, found.expires_at) == ({"a", "b"}, SOON)
    assert found.principal.user == user
    assert found.key.client_id == key.client_id
    assert found.key.secrets == ()
    assert found.key.services[link.service.code].status == "canceled"
    assert found.key.institutions == {user.institution.registry_id}


def test_a_token_without_a_user_has_no_principal():
    factories.AccessTokenFactory(
        token_text="tk_x", user=None, institution=factories.InstitutionFactory()
    )

    assert store.find_token("tk_x").principal is None


def test_an_expired_token_is_returned_and_a_revoked_one_is_not():
    factories.AccessTokenFactory(token_text="tk_expired", expired=True)
    factories.AccessTokenFactory(token_text="tk_revoked", revoked=True)

    assert store.find_token("tk_expired").expires_at < timezone.now()
    assert store.find_token("tk_revoked") is None


def test_a_token_of_an_inactive_institution_finds_it_missing_on_the_key():
    user = factories.UserFactory(institution__is_active=False)
    key = factories.ServiceKeyFactory(institutions=[user.institution])
    factories.AccessTokenFactory(token_text="tk_x", user=user, application=key)

    found = store.find_token("tk_x")

    assert found.institution not in found.key.institutions


@pytest.mark.parametrize("token", ["", "tk_nope", "\x00", "\ud800", "é" * 9999])
def test_an_unknown_token_is_none_whatever_its_text(token):
    assert store.find_token(token) is None


def test_the_principals_permissions_can_be_asked(django_user_model):
    user = factories.UserFactory()
    permission = Permission.objects.get(codename="add_service")
    user.user_permissions.add(permission)
    factories.AccessTokenFactory(token_text="tk_x", user=user)

    principal = store.find_token("tk_x").principal

    assert django_user_model.objects.filter(pk=principal.user.pk).exists()
    assert principal.user.user_permissions.get() == permission


def test_the_servers_own_lookup_knows_the_row_numbers():
    institution = factories.InstitutionFactory()
    key = factories.ServiceKeyFactory(institutions=[institution])

    client = find_client(key.client_id)

    assert (client.pk, client.name, client.has_secret) == (key.pk, key.name, False)
    assert client.institution_pks == {institution.registry_id: institution.pk}
    assert find_client("nope") is None
    assert client.status_at(timezone.now() + timedelta(days=1)) == "active"


@pytest.fixture
def holders():
    """Return how a signed and a bearer call meet the same user."""
    user = factories.UserFactory(full_name="Ada", is_superuser=True, is_staff=True)
    key = factories.ServiceKeyFactory()
    factories.AccessTokenFactory(token_text="tk_x", user=user, application=key)

    def find(client_id=key.client_id, user=user):
        signed = store.find_key(
            client_id,
            principal_id=user.principal_id,
            principal_namespace=user.principal_namespace,
        )
        return [signed.principal.user, store.find_token("tk_x").principal.user]

    return find


def test_every_column_of_a_user_is_what_the_orm_reads(holders, django_user_model):
    stored = django_user_model.objects.get()

    for user in holders():
        for field in stored._meta.concrete_fields:
            value = getattr(user, field.attname)
            assert (type(value), value) == (
                type(getattr(stored, field.attname)),
                getattr(stored, field.attname),
            ), field.name


def test_a_field_that_converts_what_is_stored_does_so_for_signed_and_bearer_calls(
    holders, django_user_model, monkeypatch
):
    field = django_user_model._meta.get_field("full_name")
    monkeypatch.setattr(
        field, "from_db_value", lambda value, *_: {"theme": value}, raising=False
    )

    assert [user.full_name for user in holders()] == [{"theme": "Ada"}] * 2


@pytest.fixture
def preferences(django_user_model):
    """Add a JSON field to the user model; the test's transaction takes its column back."""
    field = JSONField(default=dict)
    django_user_model.add_to_class("preferences", field)
    with connection.cursor() as cursor:
        cursor.execute(
            f"ALTER TABLE {django_user_model._meta.db_table}"
            f" ADD COLUMN preferences {field.db_type(connection)}"
        )
    yield
    del django_user_model.preferences
    django_user_model._meta.local_fields.remove(field)
    django_user_model._meta._expire_cache()


def test_a_json_field_on_user_comes_out_right(db, preferences, holders, django_user_model):
    django_user_model.objects.update(preferences={"theme": "dark"})

    assert [user.preferences for user in holders()] == [{"theme": "dark"}] * 2


def test_a_column_more_moves_no_other():
    key = factories.ServiceKeyFactory()
    wider = lookups.Lookup(
        {
            **lookups._columns("k", ServiceKey, "secret_created_at"),
            **lookups.KEY.columns,
        },
        lookups.KEY.source,
    )

    row = wider.first(["", "", key.client_id])

    assert row["k.client_id"] == key.client_id
    assert row["u.id"] is None
