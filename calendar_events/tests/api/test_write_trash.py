"""Delete: to the trash, a second time, for good; restore; terms at once and for good."""

import pytest

from calendar_events.models import (
    Event,
    EventTerm,
    EventVenue,
    Organizer,
    Status,
    Term,
    Venue,
)
from calendar_events.tests.bodies import BODIES, KINDS, NAMES, RECORDS, TERMS, event
from calendar_events.tests.callers import refusal
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    TagFactory,
    VenueFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MODELS = {"events": Event, "venues": Venue, "organizers": Organizer}


@pytest.fixture(params=RECORDS)
def collection(request):
    return request.param


@pytest.fixture
def record(editor, collection):
    return editor.post(f"/{collection}", BODIES[collection]).json()


@pytest.fixture(params=["by id", "by slug"])
def url(request, collection, record):
    if request.param == "by id":
        return f"/{collection}/{record['id']}"
    return f"/{collection}/by-slug/{record['slug']}"


def test_a_delete_moves_to_the_trash_and_answers_with_the_record(
    editor, collection, record, url
):
    response = editor.delete(url)

    after = response.json()
    assert (response.status_code, after["status"]) == (200, "trash")
    assert after["slug"] == f"{record['slug']}__trashed"
    assert after[NAMES[collection]] == record[NAMES[collection]]


def test_a_second_delete_is_gone(editor, collection, url):
    editor.delete(url)

    assert refusal(editor.delete(url)) == (410, f"{KINDS[collection]}-is-in-trash")


def test_force_deletes_for_good(editor, collection, record, url):
    response = editor.delete(f"{url}?force=true")

    assert (response.status_code, response.json()["id"]) == (200, record["id"])
    assert MODELS[collection].objects.count() == 0
    assert refusal(editor.delete(url))[0] == 404


def test_force_deletes_what_is_in_the_trash(editor, collection, url):
    editor.delete(url)

    assert editor.delete(f"{url}?force=1").status_code == 200
    assert MODELS[collection].objects.count() == 0


@pytest.mark.parametrize("force", ["false", "0", ""])
def test_force_may_say_no(editor, collection, url, force):
    assert editor.delete(f"{url}?force={force}").json()["status"] == "trash"


def test_force_must_be_a_flag(editor, url):
    assert refusal(editor.delete(f"{url}?force=perhaps")) == (400, "rest_invalid_param")


def test_a_trashed_record_is_restored_by_an_explicit_status(
    editor, collection, record, url
):
    editor.delete(url)

    response = editor.put(url, {"status": "publish"})

    after = response.json()
    assert (response.status_code, after["status"]) == (200, "publish")
    assert (after["slug"], after["date"]) == (record["slug"], record["date"])


@pytest.mark.parametrize("body", [{}, {"status": ""}, {"status": None}, {"website": "foo"}])
def test_a_trashed_record_is_not_changed_without_a_status(editor, collection, url, body):
    editor.delete(url)

    assert refusal(editor.put(url, body)) == (410, f"{KINDS[collection]}-is-in-trash")


def test_the_slug_of_a_trashed_record_is_free(editor, collection, record, url):
    editor.delete(url)

    other = editor.post(f"/{collection}", BODIES[collection]).json()
    restored = editor.put(f"/{collection}/{record['id']}", {"status": "publish"}).json()

    assert (other["slug"], restored["slug"]) == (record["slug"], f"{record['slug']}-2")


def test_two_of_one_slug_can_be_in_the_trash(editor, collection):
    for _ in range(3):
        made = editor.post(f"/{collection}", BODIES[collection]).json()
        assert editor.delete(f"/{collection}/{made['id']}").status_code == 200

    slugs = MODELS[collection].objects.values_list("slug", flat=True)
    assert len(set(slugs)) == 3


def test_the_status_trash_is_a_delete(editor, collection, record):
    response = editor.put(f"/{collection}/{record['id']}", {"status": "trash"})

    stored = MODELS[collection].objects.get()
    assert response.json()["status"] == "trash"
    assert (stored.status, stored.previous_status) == (Status.TRASH, Status.PUBLISH)


def test_the_status_trash_needs_the_permission_to_delete(author):
    author.user.groups.clear()
    grant(author.user, "change_event", "publish_event")
    record = EventFactory(author=author.user)

    response = author.put(f"/events/{record.pk}", {"status": "trash"})

    assert refusal(response) == (403, "rest_forbidden")


def grant(user, *codenames):
    from django.contrib.auth.models import Permission  # noqa: PLC0415 -- one use

    user.user_permissions.add(*Permission.objects.filter(codename__in=codenames))


def test_a_contributors_draft_comes_back_as_a_draft(contributor):
    record = contributor.post("/events", event()).json()
    url = f"/events/{record['id']}"
    contributor.delete(url)

    assert contributor.put(url, {"status": "draft"}).json()["status"] == "draft"


def test_a_trashed_venue_leaves_the_events_and_returns_to_them(editor):
    venue = VenueFactory()
    record = EventFactory(venues=[venue])
    editor.delete(f"/venues/{venue.pk}")

    assert editor.get(f"/events/{record.pk}").json()["venue"] == []
    editor.put(f"/venues/{venue.pk}", {"status": "publish"})
    assert editor.get(f"/events/{record.pk}").json()["venue"]["id"] == venue.pk


def test_a_venue_deleted_for_good_leaves_no_link(editor):
    venue = VenueFactory()
    EventFactory(venues=[venue])

    editor.delete(f"/venues/{venue.pk}?force=true")

    assert EventVenue.objects.count() == 0


# --- Terms --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TERMS)
def test_a_term_is_deleted_for_good_and_answered_as_it_was(editor, name):
    term = (CategoryFactory if name == "categories" else TagFactory)()
    record = EventFactory(terms=[term])

    response = editor.delete(f"/{name}/{term.pk}")

    assert (response.json()["id"], response.json()["count"]) == (term.pk, 1)
    assert EventTerm.objects.count() == 0
    assert editor.get(f"/events/{record.pk}").json()[name] == []
    assert refusal(editor.delete(f"/{name}/{term.pk}")) == (
        404,
        f"rest-{KINDS[name]}-not-found",
    )


def test_children_of_a_deleted_category_move_up(editor):
    top = CategoryFactory()
    middle = CategoryFactory(parent=top)
    child, other = CategoryFactory.create_batch(2, parent=middle)

    editor.delete(f"/categories/{middle.pk}")

    for term in (child, other):
        document = editor.get(f"/categories/{term.pk}").json()
        assert (document["parent"], document["urls"]["up"]) == (
            top.pk,
            f"http://testserver/platform/events/v1/categories/{top.pk}",
        )


def test_children_of_a_deleted_top_category_are_at_the_top(editor):
    top = CategoryFactory()
    child = CategoryFactory(parent=top)

    editor.delete(f"/categories/{top.pk}")

    document = editor.get(f"/categories/{child.pk}").json()
    assert (document["parent"], "up" in document["urls"]) == (0, False)


# --- Terms: names, slugs, parents ---------------------------------------------------------


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("spelling", ["Music", "music", "MÚSIC", " <b>Music</b> "])
def test_a_name_that_a_sibling_has_is_refused_with_its_id(editor, name, spelling):
    known = editor.post(f"/{name}", {"name": "Music"}).json()

    created = editor.post(f"/{name}", {"name": spelling})
    other = editor.post(f"/{name}", {"name": "Other"}).json()
    renamed = editor.put(f"/{name}/{other['id']}", {"name": spelling})

    for response in (created, renamed):
        assert refusal(response) == (400, "term_exists")
        assert response.json()["data"]["term_id"] == known["id"]


def test_the_same_name_under_another_parent_is_another_category(editor):
    top = editor.post("/categories", {"name": "Music"}).json()

    child = editor.post("/categories", {"name": "Music", "parent": top["id"]})

    assert (child.status_code, child.json()["slug"]) == (201, "music-2")


def test_a_name_of_another_institution_is_free(editor, stranger):
    mine = editor.post("/categories", {"name": "Music"}).json()
    theirs = stranger.post("/categories", {"name": "Music"}).json()

    assert (mine["slug"], theirs["slug"]) == ("music", "music")


def test_a_category_may_keep_its_own_name(editor):
    known = editor.post("/categories", {"name": "Music"}).json()

    response = editor.put(f"/categories/{known['id']}", {"name": "MUSIC"})

    assert response.json()["name"] == "MUSIC"


@pytest.mark.parametrize("name", TERMS)
def test_a_taken_slug_gets_a_number_on_create_and_is_refused_on_update(editor, name):
    """Mends "500 for taken slugs"."""
    editor.post(f"/{name}", {"name": "Music", "slug": "sound"})

    other = editor.post(f"/{name}", {"name": "Noise", "slug": "sound"}).json()
    response = editor.put(f"/{name}/{other['id']}", {"slug": "sound"})

    assert other["slug"] == "sound-2"
    assert refusal(response) == (400, "rest_invalid_param")
    assert list(response.json()["data"]["params"]) == ["slug"]


def test_a_category_cannot_be_under_itself_or_its_descendants(editor):
    top = CategoryFactory()
    child = CategoryFactory(parent=CategoryFactory(parent=top))

    for parent in (top.pk, child.pk):
        response = editor.put(f"/categories/{top.pk}", {"parent": parent})
        assert list(response.json()["data"]["params"]) == ["parent"]
    assert Term.objects.get(pk=top.pk).parent_id is None


@pytest.mark.parametrize("nothing", [0, "0", "", None])
def test_a_category_moves_to_the_top(editor, nothing):
    child = CategoryFactory(parent=CategoryFactory())

    response = editor.put(f"/categories/{child.pk}", {"parent": nothing})

    assert response.json()["parent"] == 0


def test_a_parent_of_another_institution_is_refused(editor):
    foreign = CategoryFactory(institution="1002")

    response = editor.post("/categories", {"name": "Music", "parent": foreign.pk})

    assert list(response.json()["data"]["params"]) == ["parent"]


def test_a_tag_has_no_parent(editor):
    response = editor.post("/tags", {"name": "outdoor", "parent": TagFactory().pk})

    assert (response.status_code, "parent" in response.json()) == (201, False)


@pytest.mark.django_db
def test_a_record_may_be_created_in_the_trash(editor):
    record = editor.post("/events", event(status="trash")).json()

    stored = Event.objects.get()
    assert (record["status"], record["slug"]) == ("trash", "evening__trashed")
    assert stored.previous_status == Status.DRAFT
    assert refusal(editor.delete(f"/events/{record['id']}")) == (410, "event-is-in-trash")
