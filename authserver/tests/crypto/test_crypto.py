"""Secrets at rest, and moving them to another encryption key."""

from io import StringIO

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command

from authserver.crypto import encryption, opaque
from authserver.tests import factories
from platform_errors.keys import SecretUnreadable


@pytest.fixture
def encrypt_with(settings):
    def encrypt_with(*keys):
        settings.AUTHSERVER = {**settings.AUTHSERVER, "ENCRYPTION_KEYS": keys}

    return encrypt_with


@pytest.fixture
def old():
    return Fernet.generate_key().decode()


@pytest.fixture
def new():
    return Fernet.generate_key().decode()


def test_what_is_made_has_letters_and_digits_only():
    made = [
        opaque.new_access_token().removeprefix("tk_"),
        opaque.new_refresh_token().removeprefix("rt_"),
        opaque.new_code().removeprefix("auth_"),
        opaque.new_client_id(),
        opaque.new_client_secret(),
    ]

    assert all(text.isascii() and text.isalnum() for text in made)
    assert len(set(made)) == 5


def test_a_secret_of_a_lost_encryption_key_is_unreadable(encrypt_with, old, new):
    encrypt_with(old)
    stored = encryption.encrypt("s")
    encrypt_with(new)

    with pytest.raises(SecretUnreadable):
        encryption.decrypt(stored)
    with pytest.raises(SecretUnreadable):
        encryption.rotate_encryption(stored)


def test_a_secret_that_was_read_before_needs_its_encryption_key_again(
    encrypt_with, old, new
):
    encrypt_with(old)
    stored = encryption.encrypt("s")
    assert encryption.decrypt(stored) == b"s"
    encrypt_with(new)

    with pytest.raises(SecretUnreadable):
        encryption.decrypt(stored)


@pytest.mark.django_db
def test_who_signs_with_a_key_whose_encryption_key_is_lost_is_told_so(
    encrypt_with, old, new
):
    encrypt_with(old)
    key = factories.ServiceKeyFactory(secret="s")
    encrypt_with(new)

    with pytest.raises(CommandError, match=f"{key.client_id} cannot be decrypted here"):
        call_command("sign_request", "GET", "/", key=key.client_id)


@pytest.mark.django_db
def test_secrets_move_to_the_first_encryption_key(encrypt_with, old, new):
    encrypt_with(old)
    key = factories.ServiceKeyFactory(secret="s1")
    key.set_secret("s2", now=key.secret_created_at)
    key.save()
    factories.ServiceKeyFactory()
    out = StringIO()

    encrypt_with(new, old)
    call_command("reencrypt_secrets", stdout=out)
    encrypt_with(new)

    key.refresh_from_db()
    assert key.secrets == (b"s2", b"s1")
    assert "1 of 1 service keys re-encrypted\n" in out.getvalue()


@pytest.mark.django_db
def test_the_move_can_be_silent(capsys):
    factories.ServiceKeyFactory(secret="s1")

    call_command("reencrypt_secrets", verbosity=0)

    assert capsys.readouterr().out == ""


@pytest.mark.django_db
def test_a_secret_that_cannot_be_read_stops_the_move(encrypt_with, old, new):
    encrypt_with(old)
    factories.ServiceKeyFactory(secret="s1", client_id="lost")
    encrypt_with(new)

    with pytest.raises(CommandError, match="lost"):
        call_command("reencrypt_secrets", verbosity=0)
