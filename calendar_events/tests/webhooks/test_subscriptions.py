"""``{events_root}/webhooks``: who may subscribe, to what, and what is answered."""

import json

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calendar_events.checks import check_encryption
from calendar_events.models import Event, WebhookSubscription
from calendar_events.tests.callers import bad_fields, caller, refusal
from calendar_events.tests.factories import CategoryFactory, WebhookSubscriptionFactory
from platform_errors.tests.factories import make_key, make_service

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]

URL = "https://receiver.example/hook"


def test_a_subscription_is_answered_with_its_secret_once(editor):
    created = editor.post("/webhooks", {"url": URL})

    document = created.json()
    secret = document.pop("secret")
    assert created.status_code == 201
    assert created["Location"].endswith(f"/webhooks/{document['id']}")
    assert created["Cache-Control"] == "no-store"
    assert secret.startswith("whsec_")
    assert document["types"] == ["event.created", "event.updated", "event.deleted"]
    assert document["statuses"] == ["publish"]
    assert document["status"] == "active"
    assert editor.get(f"/webhooks/{document['id']}").json() == document
    assert editor.get("/webhooks").json() == {"webhooks": [document]}


def test_the_secret_is_encrypted_at_rest(editor):
    secret = editor.post("/webhooks", {"url": URL}).json()["secret"]

    row = WebhookSubscription.objects.get()
    assert secret not in json.dumps(WebhookSubscription.objects.values()[0], default=str)
    assert secret.removeprefix("whsec_") not in row.encrypted_secret


def test_a_subscription_is_changed_by_what_is_sent_and_deleted(editor):
    category = CategoryFactory()
    one = editor.post("/webhooks", {"url": URL, "description": "Ours"}).json()

    changed = editor.patch(
        f"/webhooks/{one['id']}",
        {
            "types": ["venue.updated"],
            "categories": [category.pk],
            "only_institution": "1002",
        },
    ).json()
    disabled = editor.patch(f"/webhooks/{one['id']}", {"status": "disabled"}).json()
    deleted = editor.delete(f"/webhooks/{one['id']}")

    assert changed["description"] == "Ours"
    assert changed["types"] == ["venue.updated"]
    assert changed["categories"] == [category.pk]
    assert changed["only_institution"] == "1002"
    assert (disabled["status"], disabled["disabled_reason"]) == ("disabled", "asked")
    assert deleted.json()["id"] == one["id"]
    assert "secret" not in deleted.json()
    assert refusal(editor.get(f"/webhooks/{one['id']}")) == (404, "rest-webhook-not-found")


@pytest.mark.parametrize(
    ("body", "bad"),
    [
        ({}, ["url"]),
        ({"url": ""}, ["url"]),
        ({"url": "ftp://receiver.example/"}, ["url"]),
        ({"url": f"https://receiver.example/{'a' * 2048}"}, ["url"]),
        ({"url": "https://user:word@receiver.example/"}, ["url"]),
        ({"url": URL, "types": ["event.moved"]}, ["types"]),
        ({"url": URL, "types": [1]}, ["types"]),
        ({"url": URL, "types": {"a": 1}}, ["types"]),
        ({"url": URL, "types": ["event.created"] * 1000}, ["types"]),
        ({"url": URL, "statuses": ["trash"]}, ["statuses"]),
        ({"url": URL, "categories": [999_999]}, ["categories"]),
        ({"url": URL, "categories": ["x"]}, ["categories"]),
        ({"url": URL, "categories": [10**30]}, ["categories"]),
        ({"url": URL, "categories": list(range(1, 100))}, ["categories"]),
        ({"url": URL, "only_institution": "1" * 65}, ["only_institution"]),
        ({"url": URL, "description": "a" * 201}, ["description"]),
    ],
)
def test_what_cannot_be_used_is_refused_by_field(editor, body, bad):
    response = editor.post("/webhooks", body)

    assert response.status_code == 400, response.content
    params = response.json()["data"]["params"]
    assert sorted(params) == bad
    assert not WebhookSubscription.objects.exists()


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/hook",
        "https://[::1]/hook",
        "https://10.0.0.8/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:10.0.0.1]/",
    ],
)
def test_an_address_inside_is_refused(editor, settings, address):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "WEBHOOK_NETWORKS": []}

    assert bad_fields(editor.post("/webhooks", {"url": address})) == ["url"]


def test_an_http_address_is_refused_unless_the_settings_allow_it(editor, settings):
    plain = {"url": "http://receiver.example/hook"}
    assert editor.post("/webhooks", plain).status_code == 201

    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "WEBHOOK_HTTP": False}

    assert bad_fields(editor.post("/webhooks", plain)) == ["url"]


def test_nobody_subscribes_without_credentials(anonymous):
    assert anonymous.get("/webhooks").status_code == 401
    assert anonymous.post("/webhooks", {"url": URL}).status_code == 401
    assert anonymous.send("OPTIONS", "/webhooks").status_code == 401


def test_who_may_not_look_after_webhooks_is_refused(author, contributor, subscriber):
    for one in (author, contributor, subscriber):
        assert refusal(one.get("/webhooks")) == (403, "rest_forbidden")
        assert refusal(one.post("/webhooks", {"url": URL})) == (403, "rest_forbidden")


def test_options_tell_what_may_be_done(editor):
    one = editor.post("/webhooks", {"url": URL}).json()

    allowed = editor.send("OPTIONS", f"/webhooks/{one['id']}")

    assert set(allowed.json()["methods"]) >= {"GET", "PATCH", "DELETE"}


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_a_neighbour_does_not_find_a_subscription(editor, stranger, other_key, method):
    one = editor.post("/webhooks", {"url": URL}).json()

    for neighbour in (stranger, other_key):
        body = {"url": "https://thief.example/"} if method == "PATCH" else None
        response = neighbour.send(method, f"/webhooks/{one['id']}", body)
        assert refusal(response) == (404, "rest-webhook-not-found")
        assert neighbour.get("/webhooks").json() == {"webhooks": []}
    assert WebhookSubscription.objects.get().url == URL


@pytest.mark.parametrize("action", ["rotate", "test"])
def test_a_neighbour_does_not_act_on_a_subscription(editor, stranger, other_key, action):
    one = editor.post("/webhooks", {"url": URL}).json()
    before = WebhookSubscription.objects.values().get()

    for neighbour in (stranger, other_key):
        response = neighbour.post(f"/webhooks/{one['id']}/{action}")
        assert refusal(response) == (404, "rest-webhook-not-found")
    assert WebhookSubscription.objects.values().get() == before


def test_a_user_of_a_key_with_several_institutions_meets_those_of_one(settings):
    wide = make_key(
        "wide",
        services=[make_service("calendar_events", "Calendar Events")],
        institutions=frozenset({"1001", "1002"}),
    )
    here = caller("editor", key=wide)
    there = caller("editor", key=wide, institution="1002")
    one = here.post("/webhooks", {"url": URL}).json()

    assert there.get("/webhooks").json() == {"webhooks": []}
    assert there.get(f"/webhooks/{one['id']}").status_code == 404


def test_unpublished_records_are_for_who_may_read_them(editor):
    body = {"url": URL, "statuses": ["publish", "draft"]}
    assert editor.post("/webhooks", body).status_code == 201
    editor.user.groups.clear()
    names = ["add_webhooksubscription", "change_webhooksubscription"]
    editor.user.user_permissions.set(Permission.objects.filter(codename__in=names))

    assert refusal(editor.post("/webhooks", body)) == (403, "rest_forbidden")
    # Whoever may change the address of such a subscription would read them, too.
    one = WebhookSubscription.objects.get()
    thief = {"url": "https://thief.example/"}
    assert refusal(editor.patch(f"/webhooks/{one.pk}", thief)) == (403, "rest_forbidden")
    assert editor.post("/webhooks", {"url": URL}).status_code == 201


def test_a_key_has_a_bounded_number_of_subscriptions(editor, other_key, settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "WEBHOOKS_PER_KEY": 2}
    for _ in range(2):
        assert editor.post("/webhooks", {"url": URL}).status_code == 201

    assert refusal(editor.post("/webhooks", {"url": URL})) == (409, "rest_conflict")
    assert other_key.post("/webhooks", {"url": URL}).status_code == 201


def test_a_rotation_answers_another_secret_and_how_long_the_last_is_valid(editor):
    one = editor.post("/webhooks", {"url": URL}).json()

    rotated = editor.post(f"/webhooks/{one['id']}/rotate").json()

    assert rotated["secret"] != one["secret"]
    assert rotated["secret_overlap_until_utc"]
    assert "secret" not in editor.get(f"/webhooks/{one['id']}").json()


def test_without_encryption_there_are_no_webhooks(editor, anonymous, settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "ENCRYPTION": ""}

    assert refusal(editor.get("/webhooks")) == (404, "rest_no_route")
    assert refusal(anonymous.get("/webhooks/1")) == (404, "rest_no_route")


@pytest.mark.parametrize("pk", ["0", "9" * 30, "9" * 500])
def test_an_identifier_that_no_row_can_have_is_not_found(editor, pk):
    assert refusal(editor.get(f"/webhooks/{pk}")) == (404, "rest-webhook-not-found")


@pytest.mark.parametrize("count", [1, 5])
def test_listing_costs_the_same_however_many_there_are(
    editor, count, django_assert_num_queries
):
    for _ in range(count):
        editor.post("/webhooks", {"url": URL})

    with django_assert_num_queries(2):  # permissions, rows
        assert len(editor.get("/webhooks").json()["webhooks"]) == count


def test_a_write_costs_nothing_more_however_many_subscribe(editor):
    body = {"title": "E", "start_date": "2031-01-15 19:00", "end_date": "2031-01-15 21:00"}
    editor.post("/events", body)
    counts = []
    for more in (0, 1, 49):
        WebhookSubscriptionFactory.create_batch(more)
        with CaptureQueriesContext(connection) as written:
            editor.post("/events", {**body, "title": f"F{more}"})
        counts.append(len(written))

    assert counts == [counts[0]] * 3
    assert (Event.objects.count(), WebhookSubscription.objects.count()) == (4, 50)


@pytest.mark.parametrize(
    ("module", "problem"),
    [
        ("", ""),
        ("authserver.crypto.encryption", ""),
        ("no.such.module", "No module named 'no'"),
        ("calendar_events.parsing.slugs", "has no decrypt, encrypt."),
    ],
)
def test_a_module_that_cannot_encrypt_is_reported(settings, module, problem):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "ENCRYPTION": module}

    found = check_encryption()

    assert [one.id for one in found] == ["calendar_events.E004"] * bool(problem)
    assert problem in "".join(one.msg for one in found)
