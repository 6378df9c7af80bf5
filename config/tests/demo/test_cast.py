"""The fixed cast, value by value (decisions 8)."""

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from authserver.models import Institution, ServiceKey, User
from config.demo import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def users():
    return cast.seed(timezone.now())


def test_the_users_are_those_of_the_table(users):
    facts = {
        name: (
            user.login,
            user.principal_id[-1],
            user.principal_namespace,
            user.is_active,
            list(user.groups.values_list("name", flat=True)),
        )
        for name, user in users.items()
    }

    assert facts == {
        "alice": ("alice@1001", "1", "urn:platform:1001", True, ["editor"]),
        "bob": ("bob@1001", "2", "urn:platform:1001", True, []),
        "carol": ("carol@1002", "3", "urn:platform:1002", True, ["editor"]),
        "dora": ("dora@1001", "4", "urn:platform:1001", False, []),
        "erin": ("erin@1001", "5", "urn:platform:1001", True, ["contributor"]),
        "frank": ("frank@1001", "6", "urn:platform:1001", True, ["author"]),
        "ines": (
            *("ines@1001", "7", "urn:platform:1001", True),
            ["institution administrator"],
        ),
    }
    assert all(user.check_password(f"{name}-demo-pass") for name, user in users.items())
    assert users["alice"].principal_id == "00000000-0000-4000-8000-000000000001"
    admin = User.objects.get(login="admin")
    assert admin.is_superuser
    assert admin.check_password("admin-demo-pass")


def links(client_id):
    key = ServiceKey.objects.get(client_id=client_id)
    now = timezone.now()
    return {
        link.service.code: (
            "expired" if link.expires_at and link.expires_at < now else link.status
        )
        for link in key.service_links.select_related("service")
    }


def test_the_keys_are_those_of_the_table(users):
    assert links("demo-spa") == {
        "calendar_events": "active",
        "directory": "active",
        "identity": "active",
        "archive": "canceled",
        "reports": "expired",
    }
    for client_id in ("demo-hmac", "demo-expired", "demo-canceled"):
        assert links(client_id) == {"calendar_events": "active", "identity": "active"}
        key = ServiceKey.objects.get(client_id=client_id)
        assert key.secrets == (f"{client_id}-secret".encode(),)
        assert key.old_generation
    assert links("demo-lapsed") == {"calendar_events": "canceled"}
    assert links("demo-lapsed2") == {"calendar_events": "expired"}
    assert links("demo-wide") == {"calendar_events": "active"}
    assert ServiceKey.objects.get(client_id="demo-expired").is_expired(timezone.now())
    assert ServiceKey.objects.get(client_id="demo-canceled").status == "canceled"
    spa = ServiceKey.objects.get(client_id="demo-spa")
    assert not spa.has_secret
    assert not spa.claimed_https
    assert spa.redirect_addresses == [
        "http://127.0.0.1/callback",
        "http://127.0.0.1:8000/demo/callback",
        "https://client.example/cb",
    ]


def test_there_is_something_to_search_and_lakeview_is_on_no_key(users):
    assert Institution.objects.count() == 44
    assert not Institution.objects.get(registry_id="1003").key_links.exists()
    assert Institution.objects.matching("grunau").get().registry_id == "1023"


def test_seeding_again_touches_nothing(users):
    User.objects.filter(login="bob@1001").update(full_name="Robert")
    Group.objects.get(name="editor").user_set.clear()

    cast.seed(timezone.now())

    assert User.objects.get(login="bob@1001").full_name == "Robert"
    assert not users["alice"].groups.exists()
    assert User.objects.count() == 11


def test_the_description_names_every_account_and_key(users):
    text = "\n".join(cast.describe())

    for name in ("alice", "bob", "carol", "dora", "erin", "frank", "admin"):
        assert f"{name} / {name}-demo-pass" in text
    for key in ServiceKey.objects.all():
        assert key.client_id in text
