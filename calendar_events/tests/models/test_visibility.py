"""The three renderings of each rule of visibility agree, on the database that runs."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calendar_events.models import Event, Status, Venue, visibility
from calendar_events.models.record import STORED_STATUSES
from calendar_events.models.visibility import EVENT, VENUE, Viewer
from calendar_events.store import sql
from calendar_events.store.sql import conditions_of, text_of
from calendar_events.tests.factories import EventFactory, UserFactory, VenueFactory

pytestmark = pytest.mark.both_databases

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
MOMENTS = [None, *(NOW + timedelta(microseconds=step) for step in (-1, 0, 1))]
INSTITUTIONS = ["1001", "1002"]
MODELS = {EVENT: Event, VENUE: Venue}
FACTORIES = {EVENT: EventFactory, VENUE: VenueFactory}

viewers = st.builds(
    Viewer,
    institution=st.sampled_from(["", *INSTITUTIONS]),
    user_id=st.sampled_from([None, 1, 2]),
    permissions=st.sets(
        st.sampled_from(["read_unpublished_event", "read_unpublished_venue"])
    ).map(frozenset),
)


def rules(viewer, kind, now):
    own = visibility.own(viewer, kind)
    yield visibility.public(now)
    yield visibility.scheduled(now)
    yield own
    yield visibility.visible(viewer, kind, now)
    yield visibility.listed(viewer, kind, now)
    yield visibility.listed(viewer, kind, now, frozenset({Status.FUTURE, Status.TRASH}))
    if kind == EVENT:
        yield (visibility.LISTED,)


@pytest.fixture
def rows(db):
    """Every status at every moment, of two authors and two institutions."""
    authors = UserFactory.create_batch(2)
    for kind, factory in FACTORIES.items():
        extra = [{"hide_from_listings": True}, {}] if kind == EVENT else [{}]
        for number, status in enumerate(STORED_STATUSES):
            for step, published_at in enumerate(MOMENTS):
                if status == Status.PUBLISH and published_at is None:
                    continue
                factory(
                    author=authors[(number + step) % 2],
                    institution=INSTITUTIONS[step % 2],
                    status=status,
                    published_at=published_at,
                    **extra[number % len(extra)],
                )
    return [author.pk for author in authors]


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", MODELS)
def test_row_queryset_and_statement_agree(rows, kind):
    model = MODELS[kind]
    everything = list(model.objects.order_by("pk"))
    seen = set()

    @settings(max_examples=settings.default.max_examples // 2)
    @given(
        viewer=viewers,
        now=st.sampled_from([NOW + timedelta(microseconds=step) for step in (-2, 0, 2)]),
    )
    def agree(viewer, now):
        if viewer.user_id is not None:
            viewer = Viewer(
                institution=viewer.institution,
                user_id=rows[viewer.user_id - 1],
                permissions=viewer.permissions,
            )
        for rule in rules(viewer, kind, now):
            in_hand = [row.pk for row in everything if visibility.is_met_by(rule, row)]
            queried = model.objects.filter(visibility.as_q(rule)).order_by("pk")
            conditions = conditions_of(rule, "r")
            table = model._meta.db_table
            statement = f"SELECT r.id FROM {table} r WHERE {conditions}"  # noqa: S608 -- ours
            stated = sql.rows(f"{statement} ORDER BY r.id", conditions.params)
            assert in_hand == list(queried.values_list("pk", flat=True)), rule
            assert in_hand == [pk for (pk,) in stated], rule
            seen.add(len(in_hand))

    agree()

    assert len(seen) > 3


def test_what_may_be_seen_never_includes_the_trash_of_others_or_another_institution(rows):
    viewer = Viewer(
        institution="1001",
        user_id=rows[0],
        permissions=frozenset({"read_unpublished_event"}),
    )

    shown = Event.objects.visible_to(viewer, NOW)

    unpublished = shown.exclude(pk__in=Event.objects.public(NOW))
    assert unpublished
    assert {event.institution for event in unpublished} == {"1001"}
    assert Status.TRASH not in {event.status for event in shown}


def test_a_condition_with_a_value_of_its_own_is_never_written_out():
    with pytest.raises(ValueError, match="not constant"):
        text_of(visibility.public(NOW)[0], "e")
