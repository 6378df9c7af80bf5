"""Lists are ordinary QuerySets, and their totals are exact whatever is done to them."""

import json
import random
from datetime import timedelta

import pytest
from django.db.models import Count, F, Q
from django.utils import timezone

from calendar_events.models import Event, Organizer, Status, Taxonomy, Term, Venue
from calendar_events.models.querysets.scopes import Window
from calendar_events.models.visibility import ANONYMOUS, Viewer
from calendar_events.parsing import text
from calendar_events.parsing.slugs import Token
from calendar_events.store import counters, lists, pages, sql
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
    at_day,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

POSTGRES = sql.is_postgres()
NOW = timezone.now().replace(microsecond=0)
FAR = Window(start=NOW - timedelta(days=1), end=NOW + timedelta(days=730))
PAST = Window(start=NOW - timedelta(days=400), end=NOW + timedelta(days=301))
MONTH = Window(start=NOW + timedelta(days=2), end=NOW + timedelta(days=32))
MUSIC, JAZZ = [Token("music")], [Token("jazz")]


def ids(page):
    """Return the identifiers of the documents of a page."""
    return [json.loads(item, strict=False)["id"] for item in page.items]


def walk(queryset, size=3):
    """Return the rows of all pages, and the total that each of them named."""
    found, totals, offset = [], set(), 0
    while page := lists.fetch(queryset, ["id"], limit=size, offset=offset):
        found += [pk for (pk,) in page.rows]
        totals.add(page.total)
        offset += size
        if not page.rows:
            return found, totals
    raise AssertionError


@pytest.fixture
def editor():
    """Return somebody who sees the drafts of an institution with events of many kinds."""
    music = CategoryFactory(slug="music")
    jazz = CategoryFactory(slug="jazz", parent=music)
    tag = TagFactory(slug="late")
    hall = VenueFactory(geo_lat=40.0, geo_lng=-83.0)
    first = EventFactory(title="A lantern", terms=[music, jazz], venues=[hall])
    own = {"institution": first.institution}
    EventFactory(title="Another lantern", featured=True, **own)
    EventFactory(title="Music", featured=True, terms=[jazz, tag], **own)
    EventFactory(status=Status.DRAFT, terms=[music], **own)
    EventFactory(status=Status.TRASH, **own)
    EventFactory(scheduled=True, terms=[music], **own)
    EventFactory(hide_from_listings=True, terms=[music])
    EventFactory(protected=True, terms=[music], featured=True, venues=[hall])
    EventFactory(start=at_day(20), end=at_day(900), terms=[music], ticketed=True)
    EventFactory(start=at_day(-30), terms=[jazz], venues=[hall])
    for day in range(4):
        EventFactory(start=at_day(day * 40 + 3), terms=[music], organizers=[])
    return Viewer(
        institution=first.institution,
        user_id=first.author_id,
        permissions=frozenset({"change_event", "read_unpublished_event"}),
    )


WORDS = {
    "far": lambda events: events.in_window(FAR),
    "past": lambda events: events.in_window(PAST),
    "month": lambda events: events.in_window(MONTH),
    "overlaps": lambda events: events.in_window(
        Window(start=MONTH.start, end=MONTH.end, overlaps=True)
    ),
    "institution": lambda events: events.of_institution("1001"),
    "category": lambda events: events.in_categories(MUSIC),
    "two categories": lambda events: events.in_categories([*MUSIC, *JAZZ]),
    "tag": lambda events: events.with_tags([Token("late")]),
    "venue": lambda events: events.at_venues(
        list(Venue.objects.values_list("pk", flat=True)[:3])
    ),
    "search": lambda events: events.matching(text.search_query("lantern -another")),
    "featured": lambda events: events.featured(wanted=True),
    "not featured": lambda events: events.featured(wanted=False),
    "ticketed": lambda events: events.ticketed(wanted=True),
    "located": lambda events: events.located(wanted=True),
    "not located": lambda events: events.located(wanted=False),
    "near": lambda events: events.near(40.1, -83.1, 50.0),
    "changed": lambda events: events.changed_after(NOW - timedelta(days=3650)),
    "password": lambda events: events.opened_with("opensesame"),
    "title": lambda events: events.sorted_by({"orderby": "title"}),
    "modified": lambda events: events.sorted_by({"orderby": "modified"}),
    "published": lambda events: events.sorted_by({"orderby": "date", "order": "desc"}),
    "ordinary order": lambda events: events.order_by("-end_utc", "pk"),
    "filter": lambda events: events.filter(institution="1001"),
    "exclude": lambda events: events.exclude(title__startswith="A"),
    "expression": lambda events: events.filter(Q(featured=True) | Q(ticketed=False)),
    "none": lambda events: events.none(),
    "join": lambda events: events.filter(terms__slug="jazz"),
    "distinct": lambda events: events.filter(terms__isnull=False).distinct(),
    "annotated": lambda events: events.annotate(n=Count("terms")).filter(n__gte=1),
}


@pytest.mark.parametrize("who", ["anonymous", "editor"])
def test_a_list_of_events_is_the_same_as_pages_as_rows_and_as_count(editor, who):
    viewer = editor if who == "editor" else ANONYMOUS
    for word, narrowed in WORDS.items():
        events = narrowed(Event.objects.listed_for(viewer, NOW))

        found, totals = walk(events)

        assert totals == {len(found)} == {events.count()}, word
        assert found == [event.pk for event in events], word


def test_the_total_is_the_number_of_rows_whatever_words_are_combined(editor):
    """Before and after each other; the kept counters (PostgreSQL) answer some of them."""
    for seed in range(60):
        rng = random.Random(seed)
        viewer = rng.choice([ANONYMOUS, editor])
        words = rng.sample(list(WORDS), rng.randint(1, 4))
        events = Event.objects.filter(pk__gt=0) if rng.random() < 0.2 else Event.objects
        events = events.listed_for(viewer, NOW)
        if viewer is editor and rng.random() < 0.3:
            events = events.with_statuses(rng.sample(Status.values, 2))
        for word in words:
            events = WORDS[word](events)

        found, totals = walk(events, size=5)

        assert totals == {events.count()} == {len(found)}, (seed, words)


@pytest.mark.postgresql_only  # elsewhere everything is counted
@pytest.mark.parametrize(
    "words", [[], ["far"], ["past"], ["far", "institution"], ["category"], ["far", "venue"]]
)
def test_the_counters_answer_the_lists_that_they_keep(editor, words):
    events = Event.objects.listed_for(ANONYMOUS, NOW)
    for word in words:
        events = WORDS[word](events)

    assert counters.total_of(events) is not None


@pytest.mark.postgresql_only  # elsewhere everything is counted
@pytest.mark.parametrize("word", ["filter", "exclude", "featured", "none", "annotated"])
def test_the_counters_answer_nothing_that_they_do_not_know(editor, word):
    before = Event.objects.listed_for(ANONYMOUS, NOW).in_window(FAR)
    after = WORDS[word](Event.objects.all()).listed_for(ANONYMOUS, NOW).in_window(FAR)

    assert counters.total_of(before) is not None
    assert counters.total_of(WORDS[word](before)) is None
    assert counters.total_of(after) is None


NARROWED = {
    "filter": lambda events: events.filter(sticky=True),
    "exclude": lambda events: events.exclude(sticky=False),
    "condition": lambda events: events.filter(Q(sticky=True)),
    "lookup": lambda events: events.filter(cost__contains="secret"),
    "annotation": lambda events: events.alias(shown=F("sticky")).filter(shown=True),
    "join": lambda events: events.filter(terms__slug="secret"),
    "way through a column": lambda events: events.filter(post_parent__sticky=False),
    "SQL": lambda events: events.extra(where=["sticky"]),
    "subquery": lambda events: events.filter(
        pk__in=Event.objects.filter(sticky=True).values("pk")
    ),
}


@pytest.mark.parametrize("narrowed", NARROWED)
def test_whatever_a_list_is_filtered_by_does_not_tell_what_a_password_hides(narrowed):
    secret = TagFactory(slug="secret")
    parent = EventFactory(title="A parent")
    traits = {"sticky": True, "cost": "secret", "terms": [secret], "post_parent": parent}
    shown = EventFactory(**traits)
    EventFactory(protected=True, **traits)
    everybodys = Event.objects.listed_for(ANONYMOUS, NOW)

    narrow = NARROWED[narrowed]

    closed, opened = narrow(everybodys), narrow(everybodys.opened_with("opensesame"))

    assert [event.pk for event in closed] == [shown.pk]
    assert opened.count() == 2


def test_a_password_is_not_found_by_its_letters():
    EventFactory(protected=True)
    events = Event.objects.listed_for(ANONYMOUS, NOW)

    assert not events.filter(password__startswith="o").exists()


def test_a_list_filtered_by_what_everybody_sees_shows_protected_events():
    protected = EventFactory(protected=True)
    events = Event.objects.listed_for(ANONYMOUS, NOW)

    assert events.filter(institution=protected.institution, pk=protected.pk).exists()
    assert not Event.objects.filter(featured=True).exists()


def test_a_slice_of_a_list_has_pages_of_its_own():
    made = [EventFactory(start=at_day(day)).pk for day in (1, 2, 3, 4, 5)]
    some = Event.objects.listed_for(ANONYMOUS, NOW)[1:4]

    assert walk(some, size=2) == (made[1:4], {3})


def test_a_list_tells_which_of_some_identifiers_it_has(django_assert_num_queries):
    first, second, third = [EventFactory(start=at_day(day)) for day in (3, 2, 1)]
    draft = EventFactory(status=Status.DRAFT)
    listed = Event.objects.listed_for(ANONYMOUS, NOW)
    asked = [first.pk, second.pk, draft.pk, 987_654]

    with django_assert_num_queries(1):
        assert lists.having(listed, asked) == {first.pk, second.pk}
    assert lists.having(listed[:2], asked) == {second.pk}
    assert lists.having(listed.none(), asked) == set()
    assert set(pages.named(listed, [*asked, third.pk])) == {first.pk, second.pk, third.pk}


def test_two_lists_can_be_joined():
    first, second = EventFactory(featured=True), EventFactory(ticketed=True)
    EventFactory()
    events = Event.objects.listed_for(ANONYMOUS, NOW)
    featured, ticketed = events.featured(wanted=True), events.ticketed(wanted=True)

    assert sorted(walk(featured | ticketed)[0]) == [first.pk, second.pk]
    union = featured.order_by().union(ticketed.order_by())
    assert sorted(walk(union)[0]) == [first.pk, second.pk]
    assert walk(featured & ticketed) == ([], {0})


@pytest.mark.parametrize("model", [Venue, Organizer])
def test_a_list_of_places_can_be_counted_and_filtered_further(model):
    make = VenueFactory if model is Venue else OrganizerFactory
    published, other = make(name="Hall"), make(name="Barn")
    make(name="Hall to be", status=Status.DRAFT)
    everything = model.objects.listed_for(ANONYMOUS, NOW)
    halls = everything.containing("hall")

    page = pages.page(halls, limit=10, offset=0)

    assert (ids(page), page.total) == ([published.pk], 1)
    assert halls.count() == 1
    assert not halls.filter(pk=other.pk).exists()
    assert walk(everything.exclude(name="Hall").order_by("name")) == ([other.pk], {1})
    assert walk(model.objects.filter(name="Hall").listed_for(ANONYMOUS, NOW)) == (
        [published.pk],
        {1},
    )
    assert walk(halls.none()) == ([], {0})


def test_a_list_of_terms_can_be_counted_and_filtered_further():
    jazz, opera = TagFactory(name="Jazz"), TagFactory(name="Opera")
    CategoryFactory(name="Jazz too")
    EventFactory(terms=[jazz])
    tags = Term.objects.listed_for(ANONYMOUS, NOW, taxonomy=Taxonomy.TAG)
    everything = tags.hiding_empty(wanted=False)

    page = pages.page(everything.containing("jazz"), limit=10, offset=0)

    assert (ids(page), page.total) == ([jazz.pk], 1)
    assert walk(tags) == ([jazz.pk], {1}) == walk(everything.hiding_empty(wanted=True))
    assert walk(everything.order_by("-name")) == ([opera.pk, jazz.pk], {2})
    assert walk(everything.filter(name="Opera")) == ([opera.pk], {1})
    assert walk(everything.none()) == ([], {0})


def test_asking_for_more_leaves_the_list_before_as_it_was():
    EventFactory(featured=True)
    EventFactory()
    events = Event.objects.listed_for(ANONYMOUS, NOW)

    featured = events.featured(wanted=True)

    assert (lists.fetch(featured, ["id"], limit=9, offset=0).total, events.count()) == (
        1,
        2,
    )


@pytest.mark.parametrize("word", ["month", "far", "overlaps"])
def test_a_window_has_an_upper_and_a_lower_limit_for_each_end_of_an_event(word):
    """So an index of either is read between two limits only."""
    statement = str(WORDS[word](Event.objects.listed_for(ANONYMOUS, NOW)).query)

    assert '"start_utc" <=' in statement
    assert '"end_utc" >=' in statement


def test_an_order_that_was_given_before_stays_unless_another_is_asked_for():
    by_end = Event.objects.listed_for(ANONYMOUS, NOW).order_by("end_utc")

    assert by_end.sorted_by({}).query.order_by == ("end_utc",)
    assert by_end.sorted_by({"orderby": "title"}).query.order_by != ("end_utc",)
