"""Passwords are hashed with Argon2id at OWASP's minimum."""

import pytest
from django.contrib.auth.hashers import check_password, make_password

ARGON2 = ["authserver.accounts.hashers.Argon2idPasswordHasher"]


@pytest.fixture(autouse=True)
def real_hasher(settings):
    settings.PASSWORD_HASHERS = ARGON2


def test_the_parameters_are_owasps_minimum():
    encoded = make_password("correct horse")

    assert encoded.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")


def test_the_right_password_is_right_and_a_wrong_one_wrong():
    encoded = make_password("correct horse")

    assert check_password("correct horse", encoded) is True
    assert check_password("Correct horse", encoded) is False


def test_a_composed_and_a_decomposed_letter_are_the_same_password():
    encoded = make_password("caf\u00e9 au lait")

    assert check_password("cafe\u0301 au lait", encoded) is True


def test_compatibility_letters_stay_different_in_a_password():
    encoded = make_password("\ufb01sh")

    assert check_password("fish", encoded) is False


def test_a_hash_with_other_parameters_is_replaced_when_its_owner_logs_in():
    hasher = make_password("x").split("$")
    weaker = "argon2$argon2id$v=19$m=8192,t=1,p=1$" + "$".join(hasher[-2:])
    stronger = []

    check_password("x", weaker, setter=stronger.append)

    assert not stronger  # the digest does not fit the parameters: wrong, and not upgraded
