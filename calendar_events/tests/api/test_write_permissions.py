"""Who may write what, asked the same by id and by slug; institutions; order of checks."""

import pytest
from django.contrib.auth import get_user_model

from calendar_events.conf import conf
from calendar_events.models import Event, Status
from calendar_events.tests.bodies import BODIES, NAMES, RECORDS, TERMS, event
from calendar_events.tests.callers import Caller, bad_fields, caller, key_for, refusal
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    ImageFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)
from platform_errors.credentials import Principal
from platform_errors.tests.clients import authorization
from platform_errors.tests.factories import make_service, make_token, make_wide_key
from platform_errors.tests.store import MemoryKeyStore

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FACTORIES = {"events": EventFactory, "venues": VenueFactory, "organizers": OrganizerFactory}
TERM_FACTORIES = {"categories": CategoryFactory, "tags": TagFactory}
FORBIDDEN = (403, "rest_forbidden")
MISSING = (401, "rest_forbidden")


def addresses(collection, record):
    """Both addresses of a record."""
    return [f"/{collection}/{record.pk}", f"/{collection}/by-slug/{record.slug}"]


# --- The table of contract events 8, as mended --------------------------------------------


@pytest.mark.parametrize("collection", BODIES)
def test_nobody_writes_without_credentials(anonymous, collection):
    factory = {**FACTORIES, **TERM_FACTORIES}[collection]
    url = f"/{collection}/{factory().pk}"

    assert refusal(anonymous.post(f"/{collection}", BODIES[collection])) == MISSING
    assert refusal(anonymous.put(url, {})) == MISSING
    assert refusal(anonymous.delete(url)) == MISSING
    assert "WWW-Authenticate" in anonymous.delete(url)


@pytest.mark.parametrize("collection", BODIES)
def test_a_subscriber_writes_nothing(subscriber, collection):
    factory = {**FACTORIES, **TERM_FACTORIES}[collection]
    url = f"/{collection}/{factory().pk}"

    assert refusal(subscriber.post(f"/{collection}", BODIES[collection])) == FORBIDDEN
    assert refusal(subscriber.put(url, {})) == FORBIDDEN
    assert refusal(subscriber.delete(url)) == FORBIDDEN


@pytest.mark.parametrize("collection", RECORDS)
def test_nobody_changes_what_is_somebody_elses_by_id_or_by_slug(
    author, contributor, collection
):
    """Mends "by-slug writes skip the ownership check"."""
    record = FACTORIES[collection]()

    for writer in (author, contributor):
        for url in addresses(collection, record):
            assert refusal(writer.put(url, {NAMES[collection]: "Taken"})) == FORBIDDEN
            assert refusal(writer.delete(url)) == FORBIDDEN


@pytest.mark.parametrize("collection", RECORDS)
def test_an_author_changes_and_deletes_their_own(author, collection):
    record = FACTORIES[collection](author=author.user)

    for url in addresses(collection, record):
        assert author.put(url, {NAMES[collection]: "Mine"}).status_code == 200
    assert author.delete(url).status_code == 200


@pytest.mark.parametrize("collection", RECORDS)
def test_a_contributor_changes_and_deletes_their_own_while_unpublished(
    contributor, collection
):
    record = FACTORIES[collection](author=contributor.user, draft=True)

    for url in addresses(collection, record):
        assert contributor.put(url, {NAMES[collection]: "Mine"}).status_code == 200
    assert contributor.delete(url).status_code == 200


@pytest.mark.parametrize("collection", RECORDS)
@pytest.mark.parametrize("trait", [{}, {"scheduled": True}, {"trashed": True}])
def test_a_contributor_does_not_reach_their_own_once_it_was_published(
    contributor, collection, trait
):
    record = FACTORIES[collection](author=contributor.user, **trait)

    for url in addresses(collection, record):
        assert refusal(contributor.put(url, {"status": "draft"})) == FORBIDDEN
        assert refusal(contributor.delete(url)) == FORBIDDEN


@pytest.mark.parametrize("collection", RECORDS)
def test_an_editor_changes_and_deletes_everything(editor, collection):
    record = FACTORIES[collection]()

    for url in addresses(collection, record):
        assert editor.put(url, {NAMES[collection]: "Edited"}).status_code == 200
    assert editor.delete(url).status_code == 200


@pytest.mark.parametrize("collection", TERMS)
def test_only_editors_manage_terms(editor, author, contributor, collection):
    """Mends "authors may change or delete any category"."""
    url = f"/{collection}/{TERM_FACTORIES[collection]().pk}"

    for writer in (author, contributor):
        assert refusal(writer.post(f"/{collection}", {"name": "No"})) == FORBIDDEN
        assert refusal(writer.put(url, {"name": "No"})) == FORBIDDEN
        assert refusal(writer.delete(url)) == FORBIDDEN
    assert editor.put(url, {"name": "Yes"}).status_code == 200
    assert editor.delete(url).status_code == 200


def test_a_superuser_may_do_what_an_editor_may():
    superuser = caller(user=UserFactory(is_superuser=True))
    venue = superuser.post("/venues", BODIES["venues"]).json()
    others = EventFactory()

    assert venue["status"] == "publish"
    assert superuser.post("/tags", {"name": "New"}).status_code == 201
    assert superuser.put(f"/events/{others.pk}", {"cost": "5"}).status_code == 200


# --- Status -------------------------------------------------------------------------------


@pytest.mark.parametrize("collection", RECORDS)
@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ({}, "draft"),
        ({"status": "publish"}, "pending"),
        ({"status": "future"}, "pending"),
        ({"status": "draft"}, "draft"),
        ({"status": "pending"}, "pending"),
        ({"status": "private"}, "pending"),
    ],
)
def test_who_may_not_publish_is_scaled_back(contributor, collection, wanted, given):
    record = contributor.post(f"/{collection}", {**BODIES[collection], **wanted})

    assert (record.status_code, record.json()["status"]) == (201, given)
    assert (
        contributor.put(
            f"/{collection}/{record.json()['id']}", {"status": "publish"}
        ).json()["status"]
        == "pending"
    )


def test_who_may_not_publish_can_send_back_what_an_editor_made_private(contributor):
    record = EventFactory(author=contributor.user, private=True)

    response = contributor.put(f"/events/{record.pk}", {"status": "private", "cost": "5"})

    assert (response.status_code, response.json()["status"]) == (200, "private")


@pytest.mark.parametrize("collection", RECORDS)
def test_what_says_nothing_is_published_by_who_may(author, collection):
    record = author.post(f"/{collection}", BODIES[collection]).json()

    assert record["status"] == "publish"
    assert record["date_utc"] != ""


def test_a_draft_has_no_slug_until_it_is_published(editor):
    record = editor.post("/events", event(status="draft")).json()

    published = editor.put(f"/events/{record['id']}", {"status": "publish"}).json()

    assert (record["slug"], record["date_utc"], published["slug"]) == ("", "", "evening")
    assert published["date_utc"] != ""


def test_a_publication_date_to_come_makes_the_status_future(editor, anonymous):
    record = editor.post("/events", event(date="2099-01-01 00:00:00")).json()

    stored = Event.objects.get()
    assert (record["status"], stored.status) == ("future", Status.PUBLISH)
    assert refusal(anonymous.get(f"/events/{record['id']}"))[0] == 403


def test_time_publishes_without_anybody_writing(anonymous, time_machine):
    time_machine.move_to("2030-01-01 12:00:00+00:00")
    record = caller("editor").post("/events", event(date_utc="2030-01-01 12:30:00")).json()

    time_machine.move_to("2030-01-01 12:30:01+00:00")

    assert anonymous.get(f"/events/{record['id']}").json()["status"] == "publish"


def test_future_without_a_date_to_come_is_publish(editor):
    assert editor.post("/events", event(status="future")).json()["status"] == "publish"


def test_unpublishing_keeps_slug_and_date(editor):
    record = editor.post("/events", event(date="2020-05-05 09:00:00")).json()
    url = f"/events/{record['id']}"

    draft = editor.put(url, {"status": "draft"}).json()
    again = editor.put(url, {"status": "publish"}).json()

    assert (draft["slug"], draft["date"]) == ("evening", "2020-05-05 09:00:00")
    assert (again["slug"], again["date"]) == ("evening", "2020-05-05 09:00:00")


def test_a_scheduled_event_sent_back_stays_scheduled(editor):
    record = editor.post("/events", event(date="2099-01-01 00:00:00")).json()

    assert editor.put(f"/events/{record['id']}", record).json()["status"] == "future"


# --- Passwords ----------------------------------------------------------------------------


def test_the_password_is_neither_needed_nor_written(editor):
    record = EventFactory(protected=True)

    response = editor.put(f"/events/{record.pk}?password=wrong", {"password": "other"})

    record.refresh_from_db()
    assert (response.status_code, record.password) == (200, "opensesame")


@pytest.fixture
def protected():
    """A protected event that has everything that a password protects."""
    return EventFactory(
        protected=True,
        description="<p>Secret</p>",
        excerpt="<p>Hidden</p>",
        cost="$5",
        website="https://example.org/",
        sticky=True,
        image=ImageFactory(),
        terms=[CategoryFactory(), TagFactory()],
        venues=[VenueFactory()],
        organizers=[OrganizerFactory()],
    )


def test_a_protected_event_that_is_sent_back_as_a_list_shows_it_loses_nothing(
    editor, protected
):
    before = editor.put(f"/events/{protected.pk}", {"cost": "$5"}).json()
    (shown,) = editor.get(f"/events?include={protected.pk}").json()["events"]

    response = editor.put(f"/events/{protected.pk}", {**shown, "title": "Renamed"})

    assert (shown["description"], shown["sticky"]) == ("", None)
    assert response.status_code == 200
    after = response.json()
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"title", "modified", "modified_utc"}


def test_what_is_changed_in_a_protected_event_as_a_list_shows_it_is_changed(
    editor, protected
):
    (shown,) = editor.get(f"/events?include={protected.pk}").json()["events"]

    body = {**shown, "description": "<p>New</p>", "tags": ["new"]}
    after = editor.put(f"/events/{protected.pk}", body).json()

    assert (after["description"], after["cost"]) == ("<p>New</p>", "$5")
    assert [term["name"] for term in after["tags"]] == ["new"]


def test_what_a_protected_event_has_can_be_cleared(editor, protected):
    after = editor.put(
        f"/events/{protected.pk}", {"description": "", "sticky": None, "venue": []}
    ).json()

    assert (after["description"], after["sticky"], after["venue"]) == ("", False, [])
    assert after["cost"] == "$5"


# --- Institutions -------------------------------------------------------------------------


def test_a_record_is_created_in_the_institution_of_the_credentials(stranger):
    stranger.post("/events", event())

    assert Event.objects.get().institution == "1002"


@pytest.mark.parametrize("collection", BODIES)
def test_a_key_without_the_institution_of_the_record_is_told_so(stranger, collection):
    record = {**FACTORIES, **TERM_FACTORIES}[collection]()
    url = f"/{collection}/{record.pk}"

    for response in (stranger.put(url, {}), stranger.delete(url)):
        assert refusal(response) == FORBIDDEN
        assert response.json()["message"] == (
            "clientId key-1002 doesn't have access to contextInstitutionId 1001"
        )


def test_credentials_for_another_institution_of_the_key_lack_the_permission():
    writer = caller("editor", institution="1002", key=key_for("1001", "1002"))
    record = EventFactory()

    response = writer.put(f"/events/{record.pk}", {})

    assert response.json()["message"] == "Missing permission"
    assert "1001" in response.json()["data"]["detail"]
    assert "1002" in response.json()["data"]["detail"]


def test_an_author_of_another_institution_is_refused(editor):
    users = get_user_model()
    institution = users._meta.get_field("institution").remote_field.model
    home, abroad = (
        institution.objects.create(registry_id=number, name=number)
        for number in ("1001", "1002")
    )
    users.objects.filter(pk=editor.user.pk).update(
        institution=home, login=f"{editor.user.username}@1001"
    )
    editor.user.refresh_from_db()
    foreigner = UserFactory(institution=abroad)
    colleague = UserFactory(institution=home)

    assert bad_fields(editor.post("/events", event(author=foreigner.pk))) == ["author"]
    assert editor.post("/events", event(author=colleague.pk)).status_code == 201


def test_a_key_without_the_service_writes_nothing():
    writer = caller("editor", key=key_for("1001", service="directory"))

    response = writer.post("/events", event())

    assert refusal(response) == FORBIDDEN
    assert response.json()["message"] == (
        "Invalid scope(s): calendar_events (calendar_events) [Not on key]"
    )


def test_a_token_without_the_service_writes_nothing():
    response = caller("editor", service="directory").post("/events", event())

    assert refusal(response) == FORBIDDEN
    assert response.json()["message"] == (
        "access token does not have access to service calendar_events"
    )


# --- Signed requests, and tokens without a user -------------------------------------------


@pytest.fixture
def signed(editor):
    """Send a signed create for the editor, with a key of two institutions."""
    key = make_wide_key("wide", services=[make_service("calendar_events", "Events")])
    principal = Principal(
        identifier="alice",
        namespace="urn:platform:1001",
        institution="1001",
        user=editor.user,
        is_active=True,
    )
    MemoryKeyStore.principals["alice", "urn:platform:1001"] = principal

    def send(query="", named=("alice", "urn:platform:1001")):
        url = f"{conf.root_path}/events{query}"
        header = authorization("POST", url, client_id=key.client_id, principal=named)
        return Caller().send("POST", f"/events{query}", event(), Authorization=header)

    return send


def test_a_signed_write_names_the_institution_of_a_wide_key(signed, editor):
    created = signed("?contextInstitutionId=1001")

    assert (created.status_code, created.json()["author"]) == (201, editor.user.pk)
    assert Event.objects.get().institution == "1001"
    assert Event.history.get().history_change_reason == "service key wide"


def test_a_signed_write_that_names_no_institution_is_refused(signed):
    response = signed()

    assert refusal(response) == (400, "rest_missing_callback_param")
    assert response.json()["data"]["params"] == ["contextInstitutionId"]


@pytest.mark.parametrize("named", [("", ""), ("nobody", "urn:platform:1001")])
def test_a_signed_write_needs_a_valid_user(signed, named):
    response = signed("?contextInstitutionId=1001", named)

    assert refusal(response) == FORBIDDEN
    assert response.json()["message"] == "Invalid user"


def test_a_token_without_a_user_writes_nothing():
    token = make_token(
        "tk_without_user", key=key_for("1001"), scopes=frozenset({"calendar_events"})
    )

    response = Caller("tk_without_user").post("/events", event())

    assert token.principal is None
    assert refusal(response) == FORBIDDEN
    assert response.json()["message"] == "Invalid user"


# --- The order of checks ------------------------------------------------------------------


def test_permission_comes_before_existence_and_existence_before_the_body(
    anonymous, subscriber, editor
):
    assert refusal(anonymous.put("/events/987654321", "{")) == MISSING
    assert refusal(subscriber.put("/events/987654321", "{")) == FORBIDDEN
    assert refusal(editor.put("/events/987654321", "{")) == (404, "rest-event-not-found")
    assert refusal(subscriber.post("/events", "{")) == FORBIDDEN


def test_a_precondition_comes_before_the_body(editor):
    record = EventFactory()

    response = editor.put(f"/events/{record.pk}", "{", If_Match='"other"')

    assert refusal(response) == (412, "rest_precondition_failed")


@pytest.mark.parametrize("collection", BODIES)
@pytest.mark.parametrize("number", ["987654321", "9" * 30, "0"])
def test_an_unknown_record_is_not_found(editor, collection, number):
    """Mends "missing venue, organizer or term, unknown slug: 400"."""
    kind = {"categories": "category"}.get(collection, collection.removesuffix("s"))

    for method in ("POST", "PUT", "PATCH", "DELETE"):
        response = editor.send(method, f"/{collection}/{number}", {})
        assert refusal(response) == (404, f"rest-{kind}-not-found")


@pytest.mark.parametrize("collection", RECORDS)
def test_an_unknown_slug_is_not_found(editor, collection):
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        response = editor.send(method, f"/{collection}/by-slug/no-such", {})
        assert response.status_code == 404


@pytest.mark.parametrize("collection", BODIES)
def test_a_collection_cannot_be_put_patched_or_deleted(editor, collection):
    """Mends "wrong method: 404"."""
    for method in ("PUT", "PATCH", "DELETE"):
        response = editor.send(method, f"/{collection}", {})

        assert refusal(response) == (405, "rest_method_not_supported")
        assert response["Allow"] == "GET, POST, HEAD, OPTIONS"


@pytest.mark.parametrize("collection", BODIES)
def test_addresses_answer_with_a_trailing_slash(editor, collection):
    record = editor.post(f"/{collection}/", BODIES[collection])
    url = f"/{collection}/{record.json()['id']}/"

    assert (record.status_code, editor.put(url, {}).status_code) == (201, 200)
    assert editor.delete(url).status_code == 200
