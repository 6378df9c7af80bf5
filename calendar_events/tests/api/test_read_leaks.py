"""What one viewer may see never leaks to another (decisions 2 and decisions 7)."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from calendar_events.store import list_version
from calendar_events.tests.callers import bad_fields, caller, key_for, refusal
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)
from calendar_events.tests.reading import ids, path, pks
from platform_errors.tests.factories import make_token

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
UNPUBLISHED = ["draft", "pending", "private", "scheduled"]


@pytest.mark.parametrize("trait", UNPUBLISHED)
def test_unpublished_events_are_seen_by_their_author_and_editors_only(
    anonymous, subscriber, contributor, author, editor, stranger, trait
):
    event = EventFactory(**{trait: True}, author=author.user)
    address = f"/events/{event.pk}"

    for outsider in (anonymous, subscriber, contributor):
        assert refusal(outsider.get(address)) == (403, "event-not-accessible")
        assert ids(outsider.get("/events")) == []
    assert refusal(stranger.get(address)) == (403, "rest_forbidden")
    assert ids(stranger.get("/events")) == []
    for insider in (author, editor):
        assert insider.get(address).status_code == 200
        assert ids(insider.get("/events")) == pks(event)


@pytest.mark.parametrize("trait", UNPUBLISHED)
@pytest.mark.parametrize("factory", [VenueFactory, OrganizerFactory])
def test_unpublished_venues_and_organizers_are_not_for_everybody(
    anonymous, contributor, editor, factory, trait
):
    record = factory(**{trait: True})
    collection = f"{record._meta.model_name}s"
    address = f"/{collection}/{record.pk}"

    for outsider in (anonymous, contributor):
        code = f"{record._meta.model_name}-not-accessible"
        assert refusal(outsider.get(address)) == (403, code)
        assert ids(outsider.get(f"/{collection}")) == []
    assert editor.get(address).status_code == 200
    assert ids(editor.get(f"/{collection}")) == pks(record)


def test_another_institution_on_the_same_key_is_refused_naming_both(db):
    event = EventFactory(draft=True, institution="1002")
    both = caller("editor", key=key_for("1001", "1002"))

    response = both.get(f"/events/{event.pk}")

    assert response.status_code == 403
    assert response.json()["message"] == "Missing permission"
    assert "1001" in response.json()["data"]["detail"]
    assert "1002" in response.json()["data"]["detail"]


def test_another_institution_that_the_key_lacks_is_refused_in_the_words_of_the_spec(editor):
    event = EventFactory(draft=True, institution="1002")

    response = editor.get(f"/events/{event.pk}")

    assert response.json()["message"] == (
        "clientId key-1001 doesn't have access to contextInstitutionId 1002"
    )


@pytest.mark.parametrize("status", ["draft", "publish,draft", "trash", "future"])
def test_only_who_may_edit_asks_for_other_statuses(
    anonymous, subscriber, contributor, status
):
    for outsider in (anonymous, subscriber):
        assert bad_fields(outsider.get(path("events", status=status))) == ["status"]
    assert contributor.get(path("events", status=status)).status_code == 200


@pytest.mark.parametrize("status", ["any", "foo", "publish,foo", "auto-draft"])
def test_a_status_that_is_none_is_refused(editor, status):
    assert bad_fields(editor.get(path("events", status=status))) == ["status"]


def test_each_status_can_be_asked_for(editor):
    events = {trait: EventFactory(**{trait: True}) for trait in (*UNPUBLISHED, "trashed")}
    published = EventFactory()
    names = {"scheduled": "future", "trashed": "trash"}

    for trait, event in events.items():
        found = editor.get(path("events", status=names.get(trait, trait)))
        assert ids(found) == pks(event)
    assert ids(editor.get(path("events", status="publish"))) == pks(published)
    assert ids(editor.get(path("events", status=["draft", "trash"]))) == pks(
        events["draft"], events["trashed"]
    )
    assert events["trashed"].pk not in ids(editor.get("/events"))


def test_a_scheduled_event_says_future_until_time_publishes_it(anonymous, editor):
    event = EventFactory(scheduled=True)
    address = f"/events/{event.pk}"
    before = editor.get(address)

    with time_machine.travel(event.published_at + timedelta(seconds=1)):
        now_public = anonymous.get(address)
        listed = ids(anonymous.get("/events"))

    assert before.json()["status"] == "future"
    assert now_public.json()["status"] == "publish"
    assert listed == pks(event)
    assert before.headers["ETag"] != now_public.headers["ETag"]


def test_a_scheduled_event_is_counted_only_when_its_time_has_come(anonymous):
    tag = TagFactory()
    event = EventFactory(scheduled=True, terms=[tag])
    EventFactory(terms=[tag])

    before = anonymous.get(f"/tags/{tag.pk}").json()["count"]
    total = anonymous.get("/events").json()["total"]
    with time_machine.travel(event.published_at + timedelta(seconds=1)):
        after = anonymous.get(f"/tags/{tag.pk}").json()["count"]
        embedded = anonymous.get(f"/events/{event.pk}").json()["tags"][0]["count"]

    assert (before, total, after, embedded) == (1, 1, 2, 2)


def test_a_hidden_event_is_in_no_list_for_anybody_but_can_be_read(anonymous, editor):
    event = EventFactory(hidden=True, title="Secret", venues=[VenueFactory()])

    for viewer in (anonymous, editor):
        assert ids(viewer.get("/events")) == []
        assert ids(viewer.get(path("events", include=event.pk))) == []
        assert ids(viewer.get(path("events", search="secret"))) == []
        assert viewer.get(f"/events/{event.pk}").status_code == 200


@pytest.mark.parametrize("trait", [*UNPUBLISHED, "trashed"])
@pytest.mark.parametrize(
    ("factory", "name"), [(VenueFactory, "venue"), (OrganizerFactory, "organizer")]
)
def test_an_unpublished_venue_is_left_out_of_a_published_event(
    anonymous, editor, factory, name, trait
):
    record = factory(**{trait: True})
    event = EventFactory(**{f"{name}s": [record]})

    single = anonymous.get(f"/events/{event.pk}").json()
    listed = anonymous.get("/events").json()["events"][0]
    for_editor = editor.get(f"/events/{event.pk}").json()

    assert single[name] == listed[name] == []
    assert bool(for_editor[name]) == (trait != "trashed")


def test_an_unpublished_venue_is_no_filter_for_who_may_not_see_it(anonymous, editor):
    venue = VenueFactory(draft=True, located=True)
    event = EventFactory(venues=[venue])

    assert bad_fields(anonymous.get(path("events", venue=venue.pk))) == ["venue"]
    assert ids(anonymous.get(path("events", geoloc_lat=40, geoloc_lng=-83))) == []
    assert ids(editor.get(path("events", geoloc_lat=40, geoloc_lng=-83))) == pks(event)


def test_an_unpublished_event_is_no_filter_for_who_may_not_see_it(anonymous, editor):
    event = EventFactory(draft=True, venues=[VenueFactory()], terms=[TagFactory()])

    for address in ("venues", "organizers", "tags", "categories"):
        assert bad_fields(anonymous.get(path(address, event=event.pk))) == ["event"]
        assert editor.get(path(address, event=event.pk)).status_code == 200


class TestProtectedEvents:
    """What a password protects (contract events 4)."""

    @pytest.fixture
    def event(self, db):
        return EventFactory(
            protected=True,
            title="Members only",
            description="<p>The cellar</p>",
            excerpt="Below",
            cost="$5",
            website="https://cellar.example/",
            featured=True,
            venues=[VenueFactory(located=True)],
            organizers=[OrganizerFactory()],
            terms=[TagFactory(slug="wine"), CategoryFactory(slug="cellars")],
        )

    def test_the_single_needs_the_password(self, anonymous, editor, event):
        address = f"/events/{event.pk}"

        for viewer in (anonymous, editor):
            assert refusal(viewer.get(address)) == (403, "event-password-protected")
            wrong = viewer.get(f"{address}?password=guess")
            assert refusal(wrong) == (403, "event-password-protected")
            right = viewer.get(f"{address}?password=opensesame")
            assert right.json()["description"] == "<p>The cellar</p>"

    def test_who_may_edit_can_open_it_for_editing(
        self, anonymous, contributor, editor, event
    ):
        address = f"/events/{event.pk}?context=edit"

        assert editor.get(address).status_code == 200
        for outsider in (anonymous, contributor):
            assert refusal(outsider.get(address)) == (403, "event-password-protected")

    def test_an_editor_of_another_institution_cannot_open_it_for_editing(
        self, stranger, event
    ):
        """Not even with a key that has both institutions."""
        address = f"/events/{event.pk}?context=edit"
        both = caller("editor", institution="1002", key=key_for("1001", "1002"))

        for outsider in (stranger, both):
            assert refusal(outsider.get(address)) == (403, "event-password-protected")
            by_slug = outsider.get(f"/events/by-slug/{event.slug}?context=edit")
            assert refusal(by_slug) == (403, "event-password-protected")

    def test_lists_blank_what_is_protected(self, anonymous, editor, event):
        for viewer in (anonymous, editor):
            (listed,) = viewer.get("/events").json()["events"]

            assert listed["title"] == "Members only"
            assert listed["start_date"].startswith(f"{event.start_local:%Y-%m-%d}")
            for name in ("description", "excerpt", "cost", "website"):
                assert listed[name] == ""
            for name in ("categories", "tags", "venue", "organizer"):
                assert listed[name] == []
            for name in ("featured", "sticky", "all_day", "show_map", "ticketed"):
                assert listed[name] is None
            assert listed["image"] is False
            assert listed["cost_details"]["values"] == []

    def test_the_list_opens_with_the_password(self, anonymous, event):
        response = anonymous.get(path("events", password="opensesame", tags="wine"))

        (listed,) = response.json()["events"]
        assert listed["description"] == "<p>The cellar</p>"
        assert listed["venue"]["id"] == event.venues.get().pk
        assert "opensesame" not in response.content.decode()
        assert response.headers["Cache-Control"] == "private, no-cache"

    @pytest.mark.parametrize(
        "query",
        [
            {"search": "cellar"},
            {"search": "below"},
            {"tags": "wine"},
            {"categories": "cellars"},
            {"featured": "true"},
            {"featured": "false"},
            {"geoloc": "true"},
            {"geoloc": "false"},
            {"geoloc_lat": 40, "geoloc_lng": -83},
        ],
    )
    def test_no_filter_tells_what_is_protected(self, anonymous, editor, event, query):
        for viewer in (anonymous, editor):
            assert ids(viewer.get(path("events", **query))) == []

    def test_no_other_list_tells_what_is_protected(self, anonymous, event):
        assert ids(anonymous.get(path("venues", event=event.pk))) == []
        assert ids(anonymous.get(path("organizers", event=event.pk))) == []
        assert ids(anonymous.get(path("tags", event=event.pk, hide_empty="false"))) == []
        assert ids(anonymous.get(path("venues", has_events="true"))) == []
        assert ids(anonymous.get("/tags")) == []

    def test_it_is_found_by_its_title(self, anonymous, event):
        assert ids(anonymous.get(path("events", search="members"))) == pks(event)

    def test_feeds_blank_it_too(self, anonymous, event):
        feed = b"".join(anonymous.get("/events.ics").streaming_content).decode()

        assert "Members only" in feed
        assert "cellar" not in feed
        assert refusal(anonymous.get(f"/events/{event.pk}.ics")) == (
            403,
            "event-password-protected",
        )


def test_a_trashed_event_is_gone_for_everybody(anonymous, editor):
    event = EventFactory(trashed=True)

    for viewer in (anonymous, editor):
        gone = viewer.get(f"/events/{event.pk}")
        assert refusal(gone) == (403, "event-no-longer-available")


def test_a_trashed_venue_is_still_there_for_editors(anonymous, editor):
    venue = VenueFactory(trashed=True)

    assert editor.get(f"/venues/{venue.pk}").json()["status"] == "trash"
    assert refusal(anonymous.get(f"/venues/{venue.pk}")) == (403, "venue-not-accessible")
    assert ids(editor.get("/venues")) == []
    assert ids(editor.get(path("venues", status="trash"))) == pks(venue)


def test_credentials_without_a_user_see_what_everybody_sees(db):
    event, draft = EventFactory(), EventFactory(draft=True)
    service = caller("editor")
    service = caller_without_user(service)

    assert ids(service.get("/events")) == pks(event)
    assert refusal(service.get(f"/events/{draft.pk}")) == (403, "rest_forbidden")


def caller_without_user(known):
    """Return a caller whose token acts for nobody (``client_credentials``)."""
    token = f"{known.token}-nobody"
    make_token(
        token,
        key=key_for("1001"),
        principal=None,
        institution="1001",
        scopes=frozenset({"calendar_events"}),
    )
    known.token = token
    return known


def test_an_entity_tag_of_one_viewer_is_not_that_of_another(anonymous, author, editor):
    event = EventFactory(venues=[VenueFactory(draft=True)])

    tags = {
        viewer.get(f"/events/{event.pk}").headers["ETag"]
        for viewer in (anonymous, author, editor)
    }

    assert len(tags) == 3


def test_only_public_answers_may_be_shared(anonymous, editor):
    event = EventFactory()

    for address in ("/events", f"/events/{event.pk}", "/tags", "/venues"):
        assert anonymous.get(address).headers["Cache-Control"] == "public, no-cache"
        assert editor.get(address).headers["Cache-Control"] == "private, no-cache"
        assert editor.get(address).headers["Vary"] == "Accept, Authorization"
    assert timezone.now() > event.published_at


@pytest.mark.django_db
@pytest.mark.parametrize("role", ["contributor", "author"])
def test_a_writer_finds_events_at_their_own_unpublished_venue(role):
    writer = caller(role)
    own = VenueFactory(draft=True, located=True, author=writer.user)
    other = VenueFactory(draft=True, located=True)
    mine = EventFactory(venues=[own])
    EventFactory(venues=[other])

    near = writer.get(path("events", geoloc_lat=40, geoloc_lng=-83))

    assert ids(near) == pks(mine)
    assert ids(writer.get(path("events", venue=own.pk))) == pks(mine)
    assert ids(writer.get(path("venues", has_events="true"))) == pks(own)
    assert writer.get(f"/events/{mine.pk}").json()["venue"]["id"] == own.pk


@pytest.mark.django_db
def test_a_superuser_sees_everything_of_the_institution():
    user = UserFactory(is_superuser=True)
    draft = EventFactory(draft=True)

    assert ids(caller(user=user).get("/events")) == pks(draft)
    found = list_version.read(now=timezone.now(), user=user)
    assert found.permissions == list_version.as_viewers(list_version.reading())
