"""Django admin: what an administrator does, and what nobody is shown."""

import re
import uuid
from http import HTTPStatus

import pytest
from django.apps import apps
from django.contrib import admin
from django.urls import reverse

from authserver import models
from authserver.crypto import encryption
from authserver.models import AuditEvent
from authserver.models.sign_in import RoleRule
from authserver.tests import factories
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.django_db

Action = AuditEvent.Action


def page(name, *arguments):
    return reverse(f"admin:authserver_{name}", args=arguments)


def changelist(model):
    return page(f"{model._meta.model_name}_changelist")


OURS = [
    model
    for model in apps.get_app_config("authserver").get_models()
    # A session's row is named by its cookie, which a page would have to show. Rules of
    # roles are on the page of their method.
    if not model._meta.auto_created and model not in {models.Session, RoleRule}
]


@pytest.mark.parametrize("model", OURS)
def test_every_model_is_registered_with_columns_search_and_filters(model):
    model_admin = admin.site.get_model_admin(model)

    assert len(model_admin.list_display) > 1
    assert model_admin.search_fields
    assert model_admin.list_filter or model is models.Service


@pytest.mark.parametrize("model", OURS)
def test_every_list_can_be_searched(desk, model):
    desk.open(f"{changelist(model)}?q=anything")

    assert desk.status == HTTPStatus.OK


@pytest.mark.parametrize(
    ("model", "build"),
    [
        (models.Institution, factories.InstitutionFactory),
        (models.User, factories.UserFactory),
        (models.Service, factories.ServiceFactory),
        (models.ServiceKey, factories.ServiceKeyFactory),
        (models.KeyService, factories.KeyServiceFactory),
        (models.KeyInstitution, factories.KeyInstitutionFactory),
        (models.PendingRequest, factories.PendingRequestFactory),
        (models.Grant, factories.GrantFactory),
        (models.AccessToken, factories.AccessTokenFactory),
        (models.RefreshToken, factories.RefreshTokenFactory),
        (models.IDToken, factories.IDTokenFactory),
        (models.Consent, factories.ConsentFactory),
        (models.AuditEvent, factories.AuditEventFactory),
    ],
)
def test_every_row_has_a_page(desk, model, build):
    row = build()

    desk.open(page(f"{model._meta.model_name}_change", row.pk))

    assert desk.status == HTTPStatus.OK
    assert str(row) in desk.text


def test_users_of_an_institution_cannot_enter(riverside, alice):
    visitor = Visitor()
    visitor.open("/admin/login/")

    visitor.press("Log in", username="alice@1001", password=factories.PASSWORD)

    assert visitor.field("password") is not None


# What the server writes is looked at, not edited.

READ_ONLY = [
    (models.AuditEvent, factories.AuditEventFactory),
    (models.Consent, factories.ConsentFactory),
    (models.PendingRequest, factories.PendingRequestFactory),
    (models.Grant, factories.GrantFactory),
    (models.AccessToken, factories.AccessTokenFactory),
    (models.RefreshToken, factories.RefreshTokenFactory),
    (models.IDToken, factories.IDTokenFactory),
]


@pytest.mark.parametrize(("model", "build"), READ_ONLY)
def test_rows_of_the_server_can_be_neither_added_changed_nor_deleted(desk, model, build):
    row, name = build(), model._meta.model_name

    desk.open(page(f"{name}_change", row.pk))
    assert not desk.page.xpath("//form[@id][.//input[@name='_save']]")
    for url in (page(f"{name}_add"), page(f"{name}_delete", row.pk)):
        desk.open(url)
        assert desk.status == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize(
    "build",
    [
        factories.GrantFactory,
        factories.AccessTokenFactory,
        factories.RefreshTokenFactory,
        factories.PendingRequestFactory,
    ],
)
def test_not_even_a_digest_of_a_credential_is_shown(desk, build):
    row = build()
    stored = {
        value
        for value in vars(row).values()
        if isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value)
    }
    assert stored

    for url in (changelist(type(row)), page(f"{row._meta.model_name}_change", row.pk)):
        desk.open(url)
        assert not [text for text in stored if text[:12] in desk.response.content.decode()]


def test_not_even_an_encrypted_secret_is_shown(desk):
    key = factories.ServiceKeyFactory(secret="hidden words")

    for url in (changelist(models.ServiceKey), page("servicekey_change", key.pk)):
        desk.open(url)
        assert "hidden words" not in desk.response.content.decode()
        assert key.encrypted_secret not in desk.response.content.decode()


def test_revoking_a_token_ends_its_family(desk):
    refresh = factories.RefreshTokenFactory()
    access = factories.AccessTokenFactory(
        user=refresh.user,
        application=refresh.application,
        token_family=refresh.token_family,
    )
    desk.open(changelist(models.AccessToken))

    desk.press("Go", action="revoke", _selected_action=[str(access.pk)])

    access.refresh_from_db()
    refresh.refresh_from_db()
    assert access.revoked_at is not None
    assert refresh.revoked is not None
    event = AuditEvent.objects.get(action=Action.TOKEN_REVOKED)
    assert (event.actor, event.subject) == ("admin", refresh.user.login)
    assert event.details == {}


def test_revoking_a_refresh_token_ends_its_family(desk):
    access = factories.AccessTokenFactory(token_family=uuid.uuid4())
    refresh = factories.RefreshTokenFactory(
        user=access.user,
        application=access.application,
        token_family=access.token_family,
    )
    desk.open(changelist(models.RefreshToken))

    desk.press("Go", action="revoke", _selected_action=[str(refresh.pk)])

    access.refresh_from_db()
    refresh.refresh_from_db()
    assert None not in (access.revoked_at, refresh.revoked)


def test_a_token_without_a_family_is_revoked_alone(desk):
    access = factories.AccessTokenFactory(token_family=None)
    desk.open(changelist(models.AccessToken))

    desk.press("Go", action="revoke", _selected_action=[str(access.pk)])

    access.refresh_from_db()
    assert access.revoked_at is not None


def test_no_secret_is_decrypted_for_a_page(desk, monkeypatch):
    factories.ServiceKeyFactory(secret="hidden words")
    asked = []
    monkeypatch.setattr(encryption, "decrypt", asked.append)

    desk.open(changelist(models.ServiceKey))

    assert not asked


@pytest.mark.parametrize("lookup", ["action__exact", "login__startswith", "q"])
def test_a_nul_in_a_lookup_is_a_bad_request(desk, lookup):
    desk.open(f"/admin/authserver/auditevent/?{lookup}=%00")

    assert desk.status == 400


@pytest.mark.parametrize("page", ["account", "mfa", "socialaccount"])
def test_admin_has_no_pages_of_the_library_that_show_secrets(admin_client, page):
    assert admin_client.get(f"/admin/{page}/").status_code == 404
