"""The calendar can be spread over databases by institution (docs/scaling.md).

A write changes rows of one institution, references stay within it, and identifiers may come
from anywhere: no code counts on their order, on gaps between them or on their size.
"""

import pytest
from django.apps import apps
from django.db import connection, models
from django.utils import timezone

from calendar_events.models import (
    Change,
    DayCount,
    Event,
    IdempotentAnswer,
    Image,
    Organizer,
    Term,
    Venue,
)
from calendar_events.models.series import Series
from calendar_events.models.webhooks import (
    WebhookAttempt,
    WebhookDelivery,
    WebhookSubscription,
)
from calendar_events.tests.bodies import BODIES, NAMES, RECORDS, event
from calendar_events.tests.callers import caller
from calendar_events.tests.factories import (
    ImageFactory,
    UserFactory,
    WebhookDeliveryFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OURS, THEIRS = "1001", "1002"
HISTORY = [
    model
    for model in apps.get_app_config("calendar_events").get_models()
    if model.__name__.startswith("Historical")
]
OWN_COLUMN = dict.fromkeys(
    (
        *(Event, Venue, Organizer, Term, Image, *HISTORY),
        *(Change, Series, WebhookSubscription),
    ),
    "institution",
)
OVER_A_ROW = {
    Event.venues.through: "event__institution",
    Event.organizers.through: "event__institution",
    Event.terms.through: "event__institution",
    WebhookDelivery: "subscription__institution",
    WebhookAttempt: "delivery__subscription__institution",
    IdempotentAnswer: "user__username",  # which is the institution's name, here
}
"""Each would get a column of its own, as docs/scaling.md says."""
SHARED = {DayCount}
THEN = "start_date=2031-01-01&end_date=2031-02-01"
INSTITUTION = OWN_COLUMN | OVER_A_ROW
ANOTHER_SHARD = 7 << 40
"""Where the identifiers of a seventh database might begin."""


def models_with_a_table():
    return set(apps.get_app_config("calendar_events").get_models())


def snapshot():
    """Return every row of the calendar by table and key: whose it is, and what it says."""
    return {
        model: {
            row["pk"]: row
            for row in model._base_manager.values(
                "pk",
                *(field.attname for field in model._meta.concrete_fields),
                owner=models.F(INSTITUTION.get(model, "institution")),
            )
        }
        for model in models_with_a_table() - SHARED
    }


def scopes():
    """Return the counters by their scope."""
    counted = {}
    for scope, number in DayCount.objects.values_list("scope", "number"):
        counted.setdefault(scope, []).append(number)
    return {scope: sorted(numbers) for scope, numbers in counted.items()}


def changed(before, after):
    """Return the keys of rows that were added, changed or removed."""
    return {
        key
        for key in before.keys() | after.keys()
        if before.get(key, object()) != after.get(key, object())
    }


def owners_of_changes(before, after):
    return {
        (after[model].get(key) or before[model][key])["owner"]
        for model in before
        for key in changed(before[model], after[model])
    }


def references_elsewhere():
    """Return the fields by which rows of an institution name those of another."""
    return {
        field
        for model in models_with_a_table() & INSTITUTION.keys()
        for field in model._meta.concrete_fields
        if field.related_model in INSTITUTION
        and model._base_manager.exclude(**{field.name: None})
        .annotate(
            one=models.F(INSTITUTION[model]),
            other=models.F(f"{field.name}__{INSTITUTION[field.related_model]}"),
        )
        .exclude(one=models.F("other"))
        .exists()
    }


class Calendar:
    """An institution's editor, and one record of everything, all linked."""

    def __init__(self, institution):
        user = UserFactory(username=institution, roles=["editor"])
        self.editor = caller(institution=institution, user=user)
        self.ids = {}
        for name in ("categories", "tags", "venues", "organizers", "events"):
            self.ids[name] = self.create(name)
        image = ImageFactory(institution=institution, author=user)
        self.linked = {
            "venue": [self.ids["venues"]],
            "organizer": [self.ids["organizers"]],
            "categories": [self.ids["categories"]],
            "tags": [self.ids["tags"]],
            "image": image.pk,
        }
        delivery = WebhookDeliveryFactory(subscription__institution=institution)
        delivery.history.create(at=timezone.now(), url="https://b.example", milliseconds=1)
        self.create("events", rrule="FREQ=WEEKLY;COUNT=2", hide_from_listings=True)
        self.ids["parents"] = self.ids["events"]
        self.ids["events"] = self.create(
            "events", **self.linked, post_parent=self.ids["parents"]
        )

    def create(self, collection, **changes):
        response = self.editor.post(f"/{collection}", {**BODIES[collection], **changes})
        assert response.status_code == 201, response.content
        return response.json()["id"]

    def of(self, name):
        return f"/{name}/{self.ids[name]}"


@pytest.fixture
def here():
    return Calendar(OURS)


@pytest.fixture
def there():
    return Calendar(THEIRS)


def create_with_everything_new(calendar):
    words = {"categories": ["A new one"], "tags": ["fresh"]}
    brought = {"venue": {"venue": "Barn"}, "organizer": {"organizer": "Choir"}}
    return calendar.editor.post(
        "/events", event(**words, **brought), Idempotency_Key="once"
    )


def create_with_names_that_others_have_too(calendar):
    words = {"categories": ["Músic"], "tags": ["Outdóor"]}
    places = {"venue": BODIES["venues"], "organizer": BODIES["organizers"]}
    return calendar.editor.post("/events", event(**words, **places))


def create_with_everything_linked(calendar):
    return calendar.editor.post("/events", event(**calendar.linked))


def relink(calendar):
    changes = {"venue": [], "organizer": [], "categories": [], "tags": ["other"]}
    return calendar.editor.put(calendar.of("events"), changes)


def move_below(calendar):
    parent = calendar.create("categories", name="All music")
    return calendar.editor.put(calendar.of("categories"), {"parent": parent})


def delete_a_parent(calendar):
    return calendar.editor.delete(f"/events/{calendar.ids['parents']}?force=true")


def rename(name):
    return lambda calendar: calendar.editor.patch(calendar.of(name), {NAMES[name]: "Other"})


def trash(name):
    return lambda calendar: calendar.editor.delete(calendar.of(name))


def delete(name):
    return lambda calendar: calendar.editor.delete(f"{calendar.of(name)}?force=true")


WRITES = {
    "create with new places and terms": create_with_everything_new,
    "create with names that others have too": create_with_names_that_others_have_too,
    "create with what is there": create_with_everything_linked,
    "link to others": relink,
    "move a category": move_below,
    "delete a parent": delete_a_parent,
    **{f"rename {name}": rename(name) for name in BODIES},
    **{f"trash {name}": trash(name) for name in RECORDS},
    **{f"delete {name}": delete(name) for name in BODIES},
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_write_changes_and_names_rows_of_its_institution_alone(there, here, write):
    before, counted = snapshot(), scopes()

    response = write(here)

    assert response.status_code in {200, 201}, response.content
    assert owners_of_changes(before, snapshot()) == {OURS}
    assert references_elsewhere() == set()
    own = set(Term.objects.filter(institution=OURS).values_list("pk", flat=True))
    own |= {pk for pk, row in before[Term].items() if row["owner"] == OURS}
    allowed = {f"institution:{OURS}", "all", "writes", *(f"term:{pk}" for pk in own)}
    touched = {scope.removeprefix("month:") for scope in changed(counted, scopes())}
    assert touched
    assert touched <= allowed


def test_every_table_says_whose_its_rows_are(here, there):
    assert models_with_a_table() - SHARED == INSTITUTION.keys()
    for model, rows in snapshot().items():
        if model is not IdempotentAnswer:
            assert {row["owner"] for row in rows.values()} == {OURS, THEIRS}, model


def continue_at(model, pk):
    """Let the next identifier of a table be ``pk``, as another database's might be."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            sequence = "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s, false)"
            cursor.execute(sequence, [table, pk])
        else:
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
            cursor.execute("INSERT INTO sqlite_sequence VALUES (%s, %s)", [table, pk - 1])


def test_identifiers_of_another_block_work_everywhere(here):
    for model in (Event, Venue, Organizer, Term, Image, *OVER_A_ROW):
        continue_at(model, ANOTHER_SHARD)

    response = create_with_everything_new(here)

    pk = response.json()["id"]
    assert pk == ANOTHER_SHARD
    assert response.json()["venue"]["id"] == ANOTHER_SHARD
    assert {term["id"] for term in response.json()["tags"]} <= {
        ANOTHER_SHARD,
        ANOTHER_SHARD + 1,
    }
    assert here.editor.get(f"/events/{pk}").json()["title"] == "Evening"
    assert here.editor.patch(f"/events/{pk}", {"title": "Night"}).status_code == 200
    assert here.editor.get(f"/events/{pk}.ics").status_code == 200
    for query in (f"include={pk}", f"venue={ANOTHER_SHARD}", "search=night"):
        found = here.editor.get(f"/events?{THEN}&{query}").json()["events"]
        assert [each["id"] for each in found] == [pk], query
    assert here.editor.delete(f"/events/{pk}").status_code == 200


def test_pages_are_complete_whichever_way_identifiers_go(here):
    for model_pk in (ANOTHER_SHARD, 5_000, 3 << 40, 4_000):
        continue_at(Event, model_pk)
        here.create("events", title=f"Evening {model_pk}")

    urls = [f"/events?{THEN}&per_page=2&page={page}" for page in (1, 2, 3)]
    pages = [here.editor.get(url).json() for url in urls]

    assert [page["total"] for page in pages] == [6, 6, 6]
    listed = [each["id"] for page in pages for each in page["events"]]
    assert len(set(listed)) == len(listed) == 6


def test_keys_have_64_bits_but_those_of_the_history():
    narrow = {
        model
        for model in models_with_a_table()
        if not model._meta.pk.get_internal_type().startswith("Big")
    }

    assert narrow == set(HISTORY)
