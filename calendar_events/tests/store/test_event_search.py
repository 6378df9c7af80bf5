"""Words are found in events alike, wherever they are looked for (decisions 7, "Search")."""

from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from calendar_events.models import Event, Status
from calendar_events.models.visibility import Viewer
from calendar_events.parsing import text
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.reading import ids, path

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

LONG_WORD = "pneumonoultramicroscopicsilicovolcanoconiosis"
PIECES = st.sampled_from(
    [
        "a", "b", "ab", "the", "lantern", "Лес", "音楽祭", "é", "'", '"', "\\", "%", "_",
        ":*", "&", "|", "!", "(", "<->", "-", ".", "😀", LONG_WORD, " ", "  ", "\n",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@pytest.mark.fuzz
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=settings.default.max_examples // 2,  # each writes and is searched
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
def test_a_search_finds_what_has_the_words(titles, descriptions, asked):
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

    events = Event.objects.visible_to(viewer, timezone.now()).matching(search)

    assert {event.pk for event in events} == expected


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


def test_a_feed_of_a_search_has_what_the_list_has(anonymous):
    EventFactory(title="Evening")
    wombats = EventFactory.create_batch(3, title="A wombat")

    feeds = [
        b"".join(anonymous.get(path("events.ics", search=search)))
        for search in ("wombat", "evening", "absent", "-wombat")
    ]

    sizes = [feed.count(b"BEGIN:VEVENT") for feed in feeds]
    assert sizes == [len(wombats), 1, 0, 1]
