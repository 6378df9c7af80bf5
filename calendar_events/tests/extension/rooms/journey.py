"""What a sixth type answers. ``test_sixth_type`` runs it, under settings with the app."""

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command

from calendar_events.models import kinds
from calendar_events.models.guard import store_writes
from calendar_events.permissions import Actor, NotAllowed, require_create
from calendar_events.signals import record_written
from calendar_events.tests.callers import caller
from calendar_events.tests.extension.rooms.models import Room
from calendar_events.tests.reading import ids

pytestmark = pytest.mark.django_db
ALL = ("add", "change", "delete", "publish", "change_others", "delete_others")


def keeper(*verbs, institution="1001"):
    """Return a caller with these permissions on rooms."""
    who = caller(institution=institution)
    codenames = [f"{verb}_room" for verb in verbs]
    permissions = Permission.objects.filter(
        content_type__app_label="rooms", codename__in=codenames
    )
    who.user.user_permissions.set(permissions)
    return who


@pytest.fixture
def who():
    return keeper(*ALL)


@pytest.fixture
def made(who):
    """Return the answer to a create."""
    response = who.post("/rooms", {"name": "Hall", "seats": 90, "description": "<b>B</b>"})
    assert response.status_code == 201, response.content
    return response.json()


def test_a_record_is_created_read_changed_trashed_and_deleted(anonymous, who, made):
    path = f"/rooms/{made['id']}"
    assert made["name"] == "Hall"
    assert (made["slug"], made["seats"], made["status"]) == ("hall", 90, "publish")
    assert made["url"].endswith("/rooms/by-slug/hall")

    read = anonymous.get(path)
    assert read.json() == made
    assert anonymous.get("/rooms/by-slug/hall").json() == made
    tag = read.headers["ETag"]
    assert anonymous.get(path, If_None_Match=tag).status_code == 304

    tag = who.get(path).headers["ETag"]
    changed = who.patch(path, {"seats": 80}, If_Match=tag)
    assert changed.json()["seats"] == 80
    assert who.patch(path, {"seats": 70}, If_Match=tag).status_code == 412
    assert who.get(path).headers["ETag"] == changed.headers["ETag"]

    assert who.delete(path).json()["status"] == "trash"
    gone = who.delete(path)
    assert (gone.status_code, gone.json()["code"]) == (410, "room-is-in-trash")
    assert anonymous.get(path).json()["code"] == "room-not-accessible"
    assert who.delete(f"{path}?force=true").status_code == 200
    missing = anonymous.get(path)
    assert (missing.status_code, missing.json()["code"]) == (404, "rest-room-not-found")


def test_lists_have_the_calendars_words_and_the_projects(anonymous, who, made):
    small = who.post("/rooms", {"name": "Closet", "seats": 2}).json()
    draft = who.post("/rooms", {"name": "Attic", "status": "draft"}).json()

    assert ids(anonymous.get("/rooms")) == [small["id"], made["id"]]
    assert ids(anonymous.get("/rooms?seats=10")) == [made["id"]]
    assert ids(anonymous.get("/rooms?institution=1002")) == []
    assert ids(anonymous.get("/rooms?modified_after=2001-01-01&per_page=1"))
    assert ids(who.get("/rooms?status=draft")) == [draft["id"]]
    refused = anonymous.get("/rooms?status=draft")
    assert (refused.status_code, [*refused.json()["data"]["params"]]) == (400, ["status"])
    assert anonymous.get("/rooms?page=2").status_code == 404


def test_a_list_is_fresh_after_a_write(anonymous, who, made):
    before = anonymous.get("/rooms")
    tag = before.headers["ETag"]
    assert anonymous.get("/rooms", If_None_Match=tag).status_code == 304

    who.patch(f"/rooms/{made['id']}", {"seats": 80})

    after = anonymous.get("/rooms", If_None_Match=tag)
    assert [room["seats"] for room in after.json()["rooms"]] == [80]


def test_the_number_of_statements_does_not_grow_with_the_rows(
    anonymous, who, django_assert_max_num_queries
):
    for number in range(12):
        who.post("/rooms", {"name": f"Room {number}"})

    with django_assert_max_num_queries(3):
        assert len(ids(anonymous.get("/rooms?per_page=50"))) == 12


def test_a_body_that_cannot_be_used_is_refused_by_field(who):
    refused = who.post("/rooms", {"name": "", "seats": -1})

    assert refused.status_code == 400
    assert {*refused.json()["data"]["params"]} == {"name", "seats"}
    assert not Room.objects.exists()


def test_permissions_are_those_of_the_projects_app(made):
    path = f"/rooms/{made['id']}"
    nobody, reader = keeper(), caller("editor")
    for one in (nobody, reader):
        assert one.post("/rooms", {"name": "Mine"}).status_code == 403
        assert one.patch(path, {"seats": 1}).status_code == 403
        assert one.delete(path).status_code == 403
    assert keeper(*ALL, institution="1002").patch(path, {"seats": 1}).status_code == 403
    assert Room.objects.get().seats == 90


def test_a_namesake_of_another_app_permits_nothing():
    """Neither over HTTP nor in admin, where permissions are asked of the user."""
    who = caller()
    types = ContentType.objects.get_for_model(kinds.kind_for("event").model)
    namesake = Permission.objects.create(
        codename="add_room", content_type=types, name="Can add room"
    )
    who.user.user_permissions.add(namesake)

    assert who.post("/rooms", {"name": "Mine"}).status_code == 403
    with pytest.raises(NotAllowed):
        require_create(Actor(user=who.user, institution="1001"), Room)


def test_a_create_is_repeated_by_its_key(who):
    body = {"name": "Hall"}
    first, second = (who.post("/rooms", body, Idempotency_Key="one") for _ in range(2))

    assert first.json() == second.json()
    assert Room.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_write_is_announced_after_its_commit(who):
    heard = []

    def hear(sender, *, kind, identifier, version, **_kwargs):
        heard.append((sender, kind, identifier, version))

    record_written.connect(hear)
    pk = who.post("/rooms", {"name": "Hall"}).json()["id"]

    assert heard == [(Room, "room", pk, 1)]


def test_the_index_and_the_schema_tell_of_it(anonymous):
    routes = anonymous.get("").json()["routes"]
    schema = anonymous.get("/doc").json()

    mine = {path: route for path, route in routes.items() if "/rooms" in path}
    assert len(mine) == 3
    (listed,) = (route for path, route in mine.items() if path.endswith("/rooms"))
    assert "seats" in listed["endpoints"][0]["args"]
    assert {"/rooms", "/rooms/{id}", "/rooms/by-slug/{slug}"} <= {*schema["paths"]}
    assert "seats" in schema["components"]["schemas"]["Room"]["properties"]
    assert {"name": "rooms", "description": "Where people meet."} in schema["tags"]


def test_it_is_rendered_anew(anonymous, made):
    with store_writes():
        Room.objects.update(fragment='"id":0')

    call_command("rebuild_calendar", verbosity=0)

    assert anonymous.get(f"/rooms/{made['id']}").json() == made


def test_a_type_is_registered_once():
    known = kinds.kind_for("room")
    with pytest.raises(ValueError, match="already"):
        kinds.register(known)
    assert [kind.plural for kind in kinds.KINDS].count("rooms") == 1


def test_the_migration_is_what_the_model_says():
    call_command("makemigrations", "rooms", "--check", "--dry-run", verbosity=0)
