"""Words are found in events alike, wherever they are looked for (decisions 7, "Search")."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from calendar_events import records, sql, text
from calendar_events.models import Event, Status
from calendar_events.queries import page_statements, searches
from calendar_events.queries.events import EventQuery, linked
from calendar_events.queries.searching import LONGEST, Source
from calendar_events.queries.windows import Window
from calendar_events.tests.factories import CategoryFactory, EventFactory
from calendar_events.tests.reading import ids, path
from calendar_events.viewers import Viewer

pytestmark = pytest.mark.django_db

POSTGRES = connection.vendor == "postgresql"
on_postgres = pytest.mark.skipif(
    not POSTGRES, reason="SQLite reads every text, it has no table of them"
)
SOURCES = [Source.EVENTS, Source.INDEX, Source.TEXTS] if POSTGRES else [Source.EVENTS]
LONG_WORD = "w" * (LONGEST + 1)
COLUMNS = (
    "id, start_utc, end_utc, published_at, author_id, hide_from_listings, institution, "
    "status, search_text"
)

PIECES = st.sampled_from(
    [
        "a", "b", "ab", "the", "lantern", "Лес", "音楽祭", "é", "'", '"', "\\", "%", "_",
        ":*", "&", "|", "!", "(", "<->", "-", ".", "😀", LONG_WORD, " ", "  ", "\n",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=8).map("".join)


def kept() -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute("TABLE calendar_events_eventsearch ORDER BY id")
        return [(*row[:6], *row[7:9], row[10]) for row in cursor.fetchall()]


def known() -> set[int]:
    """Return the events whose texts are in the index of suffixes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM calendar_events_eventsearch WHERE has_suffixes")
        return {row[0] for row in cursor.fetchall()}


def stored() -> list[tuple]:
    return list(Event.objects.order_by("pk").values_list(*COLUMNS.split(", ")))


def having(search: text.SearchQuery, source: Source, viewer: Viewer) -> set[int]:
    """Return the events that everybody or the viewer sees, in a statement of our own."""
    now = timezone.now()
    query = EventQuery(viewer=viewer, now=now, window=Window(), search=search)
    query.statuses = frozenset(Status.values)
    parts = query.searched(source)
    statement = " UNION ALL ".join(part.text for part in parts)
    params = [param for part in parts for param in part.conditions.params]
    rows = sql.rows_of_scan(statement, params, by_index=source is Source.INDEX)
    found = [row[0] for row in rows]
    assert len(found) == len(set(found))
    return set(found)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=60,
    deadline=None,
)
@given(
    titles=st.lists(TEXTS.filter(str.strip), min_size=1, max_size=4),
    descriptions=st.lists(TEXTS, min_size=4, max_size=4),
    asked=TEXTS,
)
@example(["The lantern"], ["", "", "", ""], "lanter")
@example(["The lantern"], ["", "", "", ""], '"the lan" -lanternn')
@example([f"x {LONG_WORD} lantern"], ["", "", "", ""], "antern")
@example(["x"], ["<p>the</p><p>lantern</p>", "", "", ""], '"the lantern"')
@example(["x"], ["word " * 8000, "", "", ""], "ord")
def test_every_source_finds_what_has_the_words(titles, descriptions, asked):
    Event.objects.all().delete()
    viewer = None
    for index, title in enumerate(titles):
        event = EventFactory(
            title=title[:500],
            description=descriptions[index],
            status=Status.DRAFT if index == 2 else Status.PUBLISH,
        )
        viewer = viewer or Viewer(
            institution=event.institution,
            user_id=event.author_id,
            permissions=frozenset({"read_unpublished_event"}),
        )
    try:
        search = text.search_query(asked)
    except text.SearchError:
        return
    expected = {
        event.pk
        for event in Event.objects.all()
        if all(term in event.search_text for term in search.wanted)
        and not any(term in event.search_text for term in search.excluded)
    }

    found = {source: having(search, source, viewer) for source in SOURCES}

    assert found == dict.fromkeys(SOURCES, expected)
    if POSTGRES and search.wanted:
        assert having(search, Source.SUFFIXES, viewer) == expected & known()


@on_postgres
def test_the_table_of_texts_follows_every_write(editor):
    draft, event = EventFactory(draft=True), EventFactory(title="One")
    assert kept() == stored()

    event.title, event.hide_from_listings = "Two", True
    event.start_utc += timedelta(hours=-1)
    event.start_local += timedelta(hours=-1)
    records.save(event, now=timezone.now())
    assert kept() == stored()
    assert "two" in kept()[-1][-1]

    draft.status, draft.published_at, draft.slug = "publish", timezone.now(), "published"
    records.save(draft, now=timezone.now())
    assert kept() == stored()

    Event.objects.filter(pk=event.pk).update(status=Status.TRASH)
    assert kept() == stored()

    records.delete(Event.objects.get(pk=draft.pk))
    assert kept() == stored()
    assert [row[0] for row in kept()] == [event.pk]


@on_postgres
@pytest.mark.django_db(transaction=True)
def test_the_table_of_texts_is_emptied_with_the_events():
    EventFactory()

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE calendar_events_event CASCADE")

    assert kept() == []


@on_postgres
def test_the_table_of_texts_is_made_again():
    events = EventFactory.create_batch(3)
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM calendar_events_eventsearch WHERE id = %s", [events[0].pk]
        )
        cursor.execute(
            "UPDATE calendar_events_eventsearch SET search_text = 'old' WHERE id = %s",
            [events[1].pk],
        )
        cursor.execute("UPDATE calendar_events_eventsearch SET has_suffixes = false")
        cursor.execute(
            "INSERT INTO calendar_events_eventsearch "
            "(id, start_utc, end_utc, published_at, author_id, hide_from_listings, "
            "has_suffixes, institution, status, search_text) "
            "SELECT id + 1000000, start_utc, end_utc, published_at, author_id, "
            "hide_from_listings, has_suffixes, institution, status, search_text "
            "FROM calendar_events_eventsearch"
        )

    call_command("rebuild_calendar", verbosity=0)

    assert kept() == stored()
    assert known() == {event.pk for event in events}


@on_postgres
@pytest.mark.parametrize(
    ("description", "is_known"),
    [
        ("a few words", True),
        ("w" * LONGEST, True),
        (LONG_WORD, False),
        ("音楽" * 17, False),
        ("word " * 6000, True),
        ("word " * 7000, False),
        ("", True),
    ],
)
def test_only_texts_of_usual_words_are_in_the_index_of_suffixes(description, is_known):
    EventFactory(title="x", description=description)

    with connection.cursor() as cursor:
        cursor.execute("SELECT has_suffixes FROM calendar_events_eventsearch")
        assert cursor.fetchall() == [(is_known,)]


@pytest.mark.parametrize(
    ("description", "search"),
    [
        ("wombat", "mba"),
        ("wombat " + LONG_WORD, "mba"),
        (
            "夏の音楽祭は東京のホールで開催されます。入場は無料ですので、ぜひお越しください。",
            "入場",
        ),
        ("wombat " + "word " * 7000, "mba"),
        ("it's o'clock", "o'cl"),
        (r"back\slash", r"k\s"),
    ],
)
def test_a_rare_word_is_found_among_many_events(anonymous, description, search):
    """Later than the sample of a search reaches."""
    for number in range(70):
        EventFactory(title=f"Evening {number}")
    later = timezone.now().replace(microsecond=0, tzinfo=None) + timedelta(days=300)
    wanted = EventFactory(description=description, start=later)

    response = anonymous.get(path("events", search=search))

    assert ids(response) == [wanted.pk]
    assert response.json()["total"] == 1


@pytest.mark.parametrize(
    "search", ["w" * 33, "w" * 500, "\ufdfa" * 500, "\u3300" * 500, '"a b" ' * 20]
)
def test_the_longest_words_are_looked_for_too(anonymous, search):
    folded = text.fold(search.replace('"', ""))
    EventFactory(title="Evening")
    wanted = EventFactory(title="Evening", description=f"{folded} {folded}")

    response = anonymous.get(path("events", search=search))

    assert ids(response) == [wanted.pk]


SETTINGS = ("enable_seqscan", "jit", "work_mem", "parallel_setup_cost")


def settings_now() -> list[str]:
    with connection.cursor() as cursor:
        return [cursor.execute(f"SHOW {name}").fetchone()[0] for name in SETTINGS]


@on_postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("search", ["absent", "evening", "-evening"])
@pytest.mark.parametrize(("few", "many"), [(1000, 1000), (0, 1000), (0, 0)])
def test_the_settings_of_a_search_end_with_it(anonymous, monkeypatch, search, few, many):
    monkeypatch.setattr(searches, "FEW", few)
    monkeypatch.setattr(searches, "MANY", many)
    EventFactory(title="Evening")
    before = settings_now()

    response = anonymous.get(path("events", search=search))

    assert response.status_code == 200
    assert settings_now() == before


@on_postgres
def test_the_settings_of_a_search_by_index_hold_during_it():
    shown = sql.rows_of_scan("SHOW enable_seqscan", [], by_index=True)

    assert shown == [("off",)]


@on_postgres
@pytest.mark.parametrize("query", [{"categories": "music"}, {"featured": "true"}, {}])
def test_words_are_looked_up_by_no_other_index(query):
    """By another one the suffixes would be made again for every row that it finds."""
    music = CategoryFactory(slug="music")
    EventFactory.create_batch(5, terms=[music], featured=True)
    asked = EventQuery(
        viewer=Viewer(),
        now=timezone.now(),
        window=Window(),
        search=text.search_query("absent"),
    )
    if "categories" in query:
        linked(asked.filters, "term", [music.pk])
    elif query:
        asked.filters.add("e.featured")
    statement, params = page_statements.union(asked, Source.INDEX)

    plan = sql.rows_of_scan(f"EXPLAIN {statement}", params, by_index=True)

    conditions = [line for (line,) in plan if "calendar_events_suffixes" in line]
    assert [line.split(":")[0].strip() for line in conditions] == [
        "Recheck Cond",
        "Index Cond",
    ]


def test_a_feed_of_a_search_has_what_the_list_has(anonymous):
    EventFactory(title="Evening")
    wombats = EventFactory.create_batch(3, title="A wombat")

    feeds = [
        b"".join(anonymous.get(path("events.ics", search=search)))
        for search in ("wombat", "evening", "absent", "-wombat")
    ]

    sizes = [feed.count(b"BEGIN:VEVENT") for feed in feeds]
    assert sizes == [len(wombats), 1, 0, 1]
