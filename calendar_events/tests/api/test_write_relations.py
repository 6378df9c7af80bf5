"""What a write may refer to: categories, tags, venues, organizers, images, authors."""

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from calendar_events.models import Event, Organizer, Term, Venue
from calendar_events.tests.bodies import event
from calendar_events.tests.callers import bad_fields, caller, refusal
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    ImageFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)
from calendar_events.tests.web import LOOPBACK, picture, serving

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def stored_files(stem):
    """Return the names of the files of pictures that were called this."""
    _, names = default_storage.listdir(f"images/{timezone.now():%Y/%m}")
    return [name for name in names if name.startswith(stem)]


def ids(items):
    return [item["id"] for item in items]


# --- Terms --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["categories", "tags"])
def test_terms_are_named_by_id_slug_name_and_object(editor, name):
    factory = CategoryFactory if name == "categories" else TagFactory
    by_id, by_slug, by_name, by_object = factory.create_batch(4)
    given = [
        by_id.pk,
        by_slug.slug,
        by_name.name.upper(),
        {"id": by_object.pk, "name": "x"},
    ]

    record = editor.post("/events", event(**{name: given})).json()

    assert sorted(ids(record[name])) == [by_id.pk, by_slug.pk, by_name.pk, by_object.pk]


def test_a_write_answers_with_counts_that_leave_out_what_time_has_yet_to_publish(editor):
    tag = TagFactory()
    EventFactory(terms=[tag])

    before = editor.post("/events", event(tags=[tag.pk])).json()["tags"]
    EventFactory(terms=[tag], scheduled=True)
    after = editor.post("/events", event(tags=[tag.pk])).json()["tags"]

    assert [term["count"] for term in (*before, *after)] == [2, 3]


@pytest.mark.parametrize("given", ["{0},{1}", "{0}, {1} ,", ["{0}", "{1}"]])
def test_terms_come_as_csv_or_as_a_list(editor, given):
    terms = TagFactory.create_batch(2)
    wanted = [term.pk for term in terms]
    text = [item.format(*wanted) for item in ([given] if isinstance(given, str) else given)]

    record = editor.post("/events", event(tags=text[0] if len(text) == 1 else text)).json()

    assert sorted(ids(record["tags"])) == wanted


def test_an_existing_tag_by_name_is_linked(editor):
    """Mends "existing tag by slug or name creates a tag called after its id"."""
    tag = TagFactory(name="Open Air", slug="fresh")

    record = editor.post("/events", event(tags=["open air", "fresh"])).json()

    assert ids(record["tags"]) == [tag.pk]
    assert Term.objects.count() == 1


def test_unknown_names_become_terms(editor):
    record = editor.post("/events", event(categories="Jazz,Blues", tags=["new"])).json()

    assert [term["name"] for term in record["categories"]] == ["Blues", "Jazz"]
    assert [term["slug"] for term in record["tags"]] == ["new"]


def test_the_same_new_name_twice_is_one_term(editor):
    record = editor.post("/events", event(tags=["New", "new", "NEW"])).json()

    assert [term["name"] for term in record["tags"]] == ["New"]


def test_unknown_names_need_the_permission_to_create_terms(author):
    response = author.post("/events", event(tags=["new"]))

    assert refusal(response) == (403, "rest_forbidden")
    assert Term.objects.count() == 0


@pytest.mark.parametrize(
    "given",
    [
        [987654321],
        "987654321",
        [10**40],
        [{"name": "Jazz"}],
        [{}, {"id": None}],
        [1.5],
        [True],
        [[1]],
        ["<b></b>"],
        ["x" * 300],
        {"name": "Jazz"},
        list(range(1, 200)),
    ],
)
@pytest.mark.parametrize("name", ["categories", "tags"])
def test_terms_that_cannot_be_used_are_refused(editor, name, given):
    """Mends "500 for term objects without id"."""
    assert bad_fields(editor.post("/events", event(**{name: given}))) == [name]


def test_a_tag_is_no_category(editor):
    tag = TagFactory()

    assert bad_fields(editor.post("/events", event(categories=[tag.pk]))) == ["categories"]


@pytest.mark.parametrize("nothing", ["", None, [], 0])
@pytest.mark.parametrize("name", ["categories", "tags", "venue", "organizer"])
def test_nothing_clears_a_relation(editor, name, nothing):
    record = EventFactory(
        terms=[CategoryFactory(), TagFactory()],
        venues=[VenueFactory()],
        organizers=[OrganizerFactory()],
    )

    response = editor.put(f"/events/{record.pk}", {name: nothing}).json()

    kept = {"categories", "tags", "venue", "organizer"} - {name}
    assert response[name] == []
    assert [other for other in kept if response[other] == []] == []


def test_sending_categories_keeps_the_tags(editor):
    kept, lost, new = TagFactory(), CategoryFactory(), CategoryFactory()
    record = EventFactory(terms=[lost, kept])

    response = editor.put(f"/events/{record.pk}", {"categories": [new.pk]}).json()

    assert (ids(response["categories"]), ids(response["tags"])) == ([new.pk], [kept.pk])


# --- Venues and organizers ----------------------------------------------------------------


@pytest.mark.parametrize("form", ["{0}", "text", "list", "object", "list of objects"])
@pytest.mark.parametrize("name", ["venue", "organizer"])
def test_a_record_is_linked_in_every_form(editor, name, form):
    """Mends "single nested organizer refused" and "lists of venues refused"."""
    linked = (VenueFactory if name == "venue" else OrganizerFactory)().pk
    given = {
        "{0}": linked,
        "text": str(linked),
        "list": [linked],
        "object": {"id": linked},
        "list of objects": [{"id": str(linked), name: "other"}],
    }[form]

    record = editor.post("/events", event(**{name: given})).json()

    assert (record[name]["id"] if name == "venue" else ids(record[name])[0]) == linked


@pytest.mark.parametrize("name", ["venue", "organizer"])
def test_several_are_linked_in_the_order_given(editor, name):
    factory = VenueFactory if name == "venue" else OrganizerFactory
    first, second, third = factory.create_batch(3)

    as_list = editor.post("/events", event(**{name: [third.pk, first.pk, third.pk]})).json()
    as_csv = editor.post("/events", event(**{name: f"{second.pk},{first.pk}"})).json()

    assert ids(as_list[name]) == [third.pk, first.pk]
    assert ids(as_csv[name]) == [second.pk, first.pk]


@pytest.mark.parametrize(
    ("name", "given"),
    [("venue", {"venue": "Hall"}), ("organizer", {"organizer": "Hall"})],
)
def test_a_nested_object_is_created(editor, name, given):
    record = editor.post("/events", event(**{name: {**given, "phone": "123"}})).json()

    made = record[name] if name == "venue" else record[name][0]
    assert (made[name], made["phone"], made["status"]) == ("Hall", "123", "publish")


def test_a_form_brings_a_nested_venue(editor):
    response = editor.form(
        "POST", "/events", {**event(), "venue[venue]": "Hall", "venue[city]": "Rome"}
    )

    assert response.json()["venue"]["city"] == "Rome"


def test_a_nested_object_reuses_a_record_when_every_given_field_agrees(editor):
    """Mends "creating a venue with a known name overwrites the known one"."""
    known = VenueFactory(name="Hall", city="Rome", address="Via 1")

    same = editor.post("/events", event(venue={"venue": "Hall", "city": "Rome"})).json()
    other = editor.post("/events", event(venue={"venue": "Hall", "city": "Oslo"})).json()

    assert same["venue"]["id"] == known.pk
    assert other["venue"]["id"] != known.pk
    known.refresh_from_db()
    assert (known.city, known.address) == ("Rome", "Via 1")


@pytest.mark.parametrize("field", ["description", "website", "status", "slug", "image"])
def test_a_nested_object_that_disagrees_in_one_field_is_a_new_record(editor, field):
    known = VenueFactory(name="Hall")
    given = {
        "description": "Other",
        "website": "http://other.example",
        "status": "draft",
        "slug": "other",
        "image": ImageFactory().pk,
    }

    editor.post("/events", event(venue={"venue": "Hall", field: given[field]}))

    assert Venue.objects.filter(name="Hall").exclude(pk=known.pk).count() == 1


def test_a_record_in_the_trash_or_of_another_institution_is_not_reused(editor):
    VenueFactory(name="Hall", trashed=True)
    VenueFactory(name="Hall", institution="1002")

    editor.post("/events", event(venue={"venue": "Hall"}))

    assert Venue.objects.filter(name="Hall").count() == 3


def test_a_draft_of_somebody_else_is_not_reused_by_who_may_not_read_it(author):
    VenueFactory(name="Hall", draft=True)

    author.post("/events", event(venue={"venue": "Hall"}))

    assert Venue.objects.filter(name="Hall").count() == 2


def test_creating_a_venue_with_a_known_name_makes_another(editor):
    known = VenueFactory(name="Hall", slug="hall")

    record = editor.post("/venues", {"venue": "Hall"}).json()

    assert record["id"] != known.pk
    assert record["slug"] == "hall-2"


@pytest.mark.parametrize("name", ["venue", "organizer"])
@pytest.mark.parametrize(
    "given",
    [
        987654321,
        [987654321],
        "Some Hall",
        {"city": "Rome"},
        {"id": "abc"},
        {"website": "foo", "venue": "Hall", "organizer": "Hall"},
        [[1]],
        True,
        1.5,
        10**40,
    ],
)
def test_a_record_that_cannot_be_linked_is_refused(editor, name, given):
    assert bad_fields(editor.post("/events", event(**{name: given}))) == [name]


@pytest.mark.parametrize("name", ["venue", "organizer"])
def test_a_record_in_the_trash_cannot_be_linked(editor, name):
    trashed = (VenueFactory if name == "venue" else OrganizerFactory)(trashed=True)

    response = editor.post("/events", event(**{name: trashed.pk}))

    assert "in the trash" in response.json()["data"]["params"][name]


@pytest.mark.parametrize(
    ("name", "factory"),
    [
        ("venue", VenueFactory),
        ("organizer", OrganizerFactory),
        ("categories", CategoryFactory),
        ("tags", TagFactory),
        ("image", ImageFactory),
    ],
)
def test_a_record_of_another_institution_cannot_be_linked(editor, name, factory):
    foreign = factory(institution="1002")

    response = editor.post("/events", event(**{name: foreign.pk}))

    assert bad_fields(response) == [name]
    assert "another institution" in response.json()["data"]["params"][name]


def test_a_contributor_cannot_bring_what_they_cannot_create():
    user = UserFactory(roles=["reader"])
    user.user_permissions.add(permission("add_event"))

    response = caller(user=user).post("/events", event(venue={"venue": "Hall"}))

    assert refusal(response) == (403, "rest_forbidden")
    assert Venue.objects.count() == 0


def permission(codename):
    from django.contrib.auth.models import Permission  # noqa: PLC0415 -- one use

    return Permission.objects.get(codename=codename)


# --- Images -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [int, str, lambda pk: {"id": pk, "url": "x"}],
    ids=["number", "text", "object"],
)
def test_an_image_is_linked_by_id(editor, form):
    image = ImageFactory()

    record = editor.post("/events", event(image=form(image.pk))).json()

    assert record["image"]["id"] == image.pk


@pytest.mark.parametrize("nothing", [False, "", None, 0])
def test_nothing_takes_the_image_away(editor, nothing):
    record = EventFactory(image=ImageFactory())

    assert editor.put(f"/events/{record.pk}", {"image": nothing}).json()["image"] is False


def test_an_image_is_known_by_its_own_address(editor):
    image = ImageFactory()
    url = editor.post("/venues", {"venue": "Hall", "image": image.pk}).json()["image"][
        "url"
    ]

    record = editor.post("/events", event(image=url)).json()

    assert record["image"]["id"] == image.pk


@pytest.fixture
def _open_loopback(settings):
    settings.CALENDAR_EVENTS = {
        **settings.CALENDAR_EVENTS,
        "IMAGE_FETCH_NETWORKS": LOOPBACK,
    }


@pytest.mark.usefixtures("_open_loopback")
def test_a_write_that_is_answered_406_leaves_no_file_behind(author):
    with serving((200, {}, picture(400, 300))) as server:
        body = event(image=f"{server.url}/undone.png")
        response = author.post("/events", body, Accept="text/calendar")

    assert (response.status_code, Event.objects.count()) == (406, 0)
    assert stored_files("undone") == []


@pytest.mark.usefixtures("_open_loopback")
def test_a_write_that_is_answered_keeps_its_files(author):
    with serving((200, {}, picture(400, 300))) as server:
        author.post("/events", event(image=f"{server.url}/done.png"))

    assert len(stored_files("done")) == 3


@pytest.mark.usefixtures("_open_loopback")
def test_an_image_is_fetched_by_url(author):
    with serving((200, {}, picture(400, 300))) as server:
        record = author.post("/events", event(image=f"{server.url}/hall.png")).json()

    image = record["image"]
    assert (image["width"], image["height"], image["extension"]) == (400, 300, "png")
    assert sorted(image["sizes"]) == ["medium", "thumbnail"]
    assert image["sizes"]["medium"]["mime-type"] == "image/png"


@pytest.mark.usefixtures("_open_loopback")
def test_a_nested_venue_brings_an_image_by_url(editor):
    with serving((200, {}, picture())) as server:
        record = editor.post(
            "/events", event(venue={"venue": "Hall", "image": f"{server.url}/hall.png"})
        ).json()

    assert record["venue"]["image"]["width"] == 8


@pytest.mark.usefixtures("_open_loopback")
def test_nothing_is_fetched_for_a_write_that_is_refused_anyway(editor, contributor):
    with serving((200, {}, picture())) as server:
        bad = editor.post("/events", event(image=server.url, website="foo"))
        forbidden = contributor.post("/events", event(image=server.url))

        assert (bad_fields(bad), refusal(forbidden)) == (
            ["website"],
            (403, "rest_forbidden"),
        )
        assert server.visits == []


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/a.png",
        "http://localhost:8000/a.png",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/a.png",
        "http://no-such-host.invalid/a.png",
        "file:///etc/passwd",
        "http://",
    ],
)
def test_an_address_that_must_not_be_visited_is_refused_on_image(editor, url):
    assert bad_fields(editor.post("/events", event(image=url))) == ["image"]


# --- Authors ------------------------------------------------------------------------------


def test_an_editor_names_another_author(editor):
    other = UserFactory()

    record = editor.post("/events", event(author=other.pk)).json()

    assert record["author"] == other.pk


def test_an_author_may_not_name_another_author(author):
    """Mends "any author may set any author"."""
    other = UserFactory()
    mine = author.post("/events", event(author=author.user.pk))

    assert mine.status_code == 201
    assert refusal(author.post("/events", event(author=other.pk))) == (
        403,
        "rest_forbidden",
    )
    assert refusal(author.put(f"/events/{mine.json()['id']}", {"author": other.pk})) == (
        403,
        "rest_forbidden",
    )


def test_a_disabled_user_cannot_become_an_author(editor):
    other = UserFactory(is_active=False)

    assert bad_fields(editor.post("/events", event(author=other.pk))) == ["author"]


def test_the_author_of_now_may_be_sent_back_whoever_it_is(editor):
    record = EventFactory(author=UserFactory(is_active=False))

    response = editor.put(f"/events/{record.pk}", {"author": record.author_id})

    assert response.status_code == 200


def test_the_author_is_an_integer(editor):
    """Mends "author is a string"."""
    assert editor.post("/events", event()).json()["author"] == editor.user.pk


# --- What was sent ------------------------------------------------------------------------


def test_the_same_new_record_twice_in_one_body_is_made_once(editor):
    brought = {"organizer": "Old Mill"}

    record = editor.post("/events", event(organizer=[brought, brought])).json()

    assert ids(record["organizer"]) == [Organizer.objects.get().pk]


@pytest.mark.parametrize("name", ["categories", "tags", "venue", "organizer", "image"])
@pytest.mark.parametrize("given", [2**64 - 1, "9" * 40])
def test_an_identifier_that_no_row_can_have_is_named_as_it_was_sent(editor, name, given):
    response = editor.post("/events", event(**{name: given}))

    assert bad_fields(response) == [name]
    assert f" {given}, which does not exist." in response.json()["data"]["params"][name]


def test_an_author_that_no_row_can_have_is_refused(editor):
    response = editor.post("/events", event(author=10**25))

    assert bad_fields(response) == ["author"]


@pytest.mark.django_db
@pytest.mark.parametrize("field", ["author", "date"])
def test_a_nested_object_agrees_in_author_and_date_too(editor, field):
    known = VenueFactory(name="Hall")
    given = {
        "author": (known.author_id, editor.user.pk),
        "date": ("2020-01-01 12:00:00", "2021-01-01 12:00:00"),
    }
    same, other = given[field]

    for value, is_known in ((same, True), (other, False)):
        if field == "author" and is_known:
            editor.put(f"/venues/{known.pk}", {"author": editor.user.pk})
            value = editor.user.pk  # noqa: PLW2901 -- the author of now
        elif field == "author":
            editor.put(f"/venues/{known.pk}", {"author": same})
        nested = {"venue": "Hall", field: value}
        record = editor.post("/events", event(venue=nested)).json()
        assert (record["venue"]["id"] == known.pk) is is_known


@pytest.mark.django_db
def test_fields_of_the_brought_record_are_named_in_the_reason(editor):
    response = editor.post("/events", event(organizer={"organizer": "A", "email": "x"}))

    assert bad_fields(response) == ["organizer"]
    assert "email must be" in response.json()["data"]["params"]["organizer"]
