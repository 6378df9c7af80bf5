"""Whose data the credentials reach: the neighbour on either side is refused."""

import pytest

from platform_errors.credentials import Credentials
from platform_errors.errors import catalogue
from platform_errors.permissions import require_same_institution
from platform_errors.tests.factories import (
    INSTITUTION,
    OTHER_INSTITUTION,
    make_key,
    make_wide_key,
)

BOTH = [(INSTITUTION, OTHER_INSTITUTION), (OTHER_INSTITUTION, INSTITUTION)]


def credentials(key, institution):
    return Credentials(scheme="hmac", key=key, institution=institution, principal=None)


@pytest.mark.parametrize(("named", "owner"), BOTH)
def test_a_wide_key_reaches_the_institution_it_named_and_no_other(named, owner):
    caller = credentials(make_wide_key(), named)

    require_same_institution(caller, named)
    with pytest.raises(catalogue.MissingPermission):
        require_same_institution(caller, owner)


@pytest.mark.parametrize(("named", "owner"), BOTH)
def test_a_key_never_reaches_an_institution_it_lacks(named, owner):
    caller = credentials(make_key(institutions=frozenset({named})), named)

    with pytest.raises(catalogue.InstitutionNotOnKey):
        require_same_institution(caller, owner)


@pytest.mark.parametrize("owner", [INSTITUTION, OTHER_INSTITUTION])
def test_a_wide_key_that_named_none_reaches_none(owner):
    with pytest.raises(catalogue.MissingPermission):
        require_same_institution(credentials(make_wide_key(), None), owner)
