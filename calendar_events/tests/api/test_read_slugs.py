"""Slugs in other scripts are found however an address writes them (decisions 7)."""

from urllib.parse import quote, unquote, urlencode

import pytest

from calendar_events.tests.bodies import BODIES, NAMES, event
from calendar_events.tests.reading import ids, path

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ROOT = "http://testserver/platform/events/v1"
NAME = "日本 музыка"
YEAR = {"start_date": "2031-01-01", "end_date": "2031-12-31"}


def written(slug):
    """Return how callers write a slug: as answered, in letters, escaped, upper case."""
    return [slug, unquote(slug), quote(slug), slug.upper()]


@pytest.mark.parametrize("collection", ["events", "venues", "organizers"])
def test_a_record_is_read_by_its_slug_in_every_spelling(anonymous, editor, collection):
    created = editor.post(f"/{collection}", BODIES[collection] | {NAMES[collection]: NAME})
    record = created.json()

    for slug in written(record["slug"]):
        address = f"/{collection}/by-slug/{slug}"
        assert anonymous.get(address).json()["id"] == record["id"]
        assert editor.patch(address, {}).json()["id"] == record["id"]
    assert anonymous.get(record["url"].removeprefix(ROOT)).status_code == 200


def test_a_feed_is_read_by_its_slug_in_every_spelling(anonymous, editor):
    record = editor.post("/events", event(title=NAME)).json()

    for slug in written(record["slug"]):
        assert anonymous.get(f"/events/by-slug/{slug}.ics").status_code == 200


@pytest.mark.parametrize("name", ["categories", "tags"])
def test_a_term_is_named_by_its_slug_in_every_spelling(anonymous, editor, name):
    record = editor.post("/events", event(**{name: [NAME]})).json()
    (term,) = record[name]
    document = anonymous.get(f"/{name}/{term['id']}").json()

    for slug in written(term["slug"]):
        assert ids(anonymous.get(path("events", **{name: slug}, **YEAR))) == [record["id"]]
        assert ids(anonymous.get(path(name, slug=slug))) == [term["id"]]
    own = f"{document['url'].removeprefix(ROOT)}&{urlencode(YEAR)}"
    assert ids(anonymous.get(own)) == [record["id"]]
