"""Logins that were made to cost: nobody holds a worker with one."""

import unicodedata
from unittest import mock

import pytest
from django.urls import reverse

from authserver.parsing import usernames
from authserver.parsing.usernames import normalise_username

pytestmark = pytest.mark.django_db

PILE = "a" + "\N{COMBINING GRAVE ACCENT}\N{COMBINING GRAVE ACCENT BELOW}" * 100_000


@pytest.mark.parametrize("field", ["username", "password"])
def test_accents_piled_on_one_letter_hold_no_login(client, settings, field):
    settings.PASSWORD_HASHERS = ["authserver.accounts.hashers.Argon2idPasswordHasher"]
    form = {"username": "somebody", "password": "a long password"} | {field: PILE}

    with mock.patch.object(
        usernames.unicodedata, "normalize", wraps=unicodedata.normalize
    ) as seen:
        response = client.post(reverse("admin:login"), form)

    assert response.status_code == 200
    lengths = [len(call.args[1]) for call in seen.call_args_list]
    assert max(lengths, default=0) <= usernames.MAX_LENGTH


def test_a_username_is_not_the_beginning_of_another():
    alice = "alice" + "\N{ZERO WIDTH JOINER}" * 5000

    assert normalise_username(alice) != normalise_username("alice")
    assert normalise_username("A" * 150) == "a" * 150
