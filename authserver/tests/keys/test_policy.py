"""When a token works: each condition alone ends it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from authserver.keys.policy import is_token_in_force
from platform_errors.credentials import AccessToken
from platform_errors.tests.factories import (
    INSTITUTION,
    OTHER_INSTITUTION,
    make_principal,
    make_wide_key,
)

NOW = datetime(2026, 5, 1, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


@pytest.fixture
def token():
    return AccessToken(
        key=make_wide_key(),
        institution=INSTITUTION,
        scopes=frozenset(),
        expires_at=NOW + MOMENT,
        principal=make_principal(),
    )


def test_a_token_works_for_its_user_and_without_one(token):
    assert is_token_in_force(token, NOW)
    assert is_token_in_force(replace(token, principal=None), NOW)


@pytest.mark.parametrize(
    "change",
    [
        lambda token: {"expires_at": NOW},
        lambda token: {"institution": "1003", "principal": None},
        lambda token: {"principal": make_principal(is_active=False)},
        lambda token: {"principal": make_principal(institution=OTHER_INSTITUTION)},
        lambda token: {"key": replace(token.key, status="canceled")},
        lambda token: {"key": replace(token.key, expires_at=NOW)},
    ],
    ids=[
        "expired",
        "institution not on the key",
        "user disabled",
        "user of another institution",
        "key canceled",
        "key expired",
    ],
)
def test_a_token_ends_with_each_of_them(token, change):
    assert not is_token_in_force(replace(token, **change(token)), NOW)
