"""OPTIONS and ``Allow`` tell what this caller may do; 405 what the resource supports."""

import pytest

from calendar_events.tests.bodies import BODIES
from calendar_events.tests.callers import caller, key_for
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db

FACTORIES = {
    "events": EventFactory,
    "venues": VenueFactory,
    "organizers": OrganizerFactory,
    "categories": CategoryFactory,
    "tags": TagFactory,
}
READ = {"GET", "HEAD", "OPTIONS"}
CREATE = READ | {"POST"}
CHANGE = READ | {"POST", "PUT", "PATCH", "DELETE"}


def allowed(viewer, address):
    """Return what ``Allow`` names, which the description says, too."""
    response = viewer.send("OPTIONS", address)
    assert response.status_code == 200, response.content
    methods = response["Allow"].split(", ")
    document = response.json()
    assert [*document["methods"], "OPTIONS"] == methods
    assert document["endpoints"] == [{"methods": document["methods"], "args": {}}]
    return set(methods)


@pytest.mark.parametrize("collection", FACTORIES)
def test_everybody_may_read_and_an_editor_may_write(anonymous, editor, collection):
    record = FACTORIES[collection]()
    address = f"/{collection}/{record.pk}"

    assert allowed(anonymous, f"/{collection}") == allowed(anonymous, address) == READ
    assert allowed(editor, f"/{collection}") == CREATE
    assert allowed(editor, address) == CHANGE


@pytest.mark.parametrize("collection", ["events", "venues", "organizers"])
def test_what_one_may_do_depends_on_the_record(contributor, author, collection):
    factory = FACTORIES[collection]
    draft = factory(draft=True, author=contributor.user, slug="my-draft")
    published = factory(author=contributor.user)
    theirs = factory(author=author.user)

    assert allowed(contributor, f"/{collection}") == CREATE
    assert allowed(contributor, f"/{collection}/{draft.pk}") == CHANGE
    assert allowed(contributor, f"/{collection}/by-slug/my-draft") == CHANGE
    assert allowed(contributor, f"/{collection}/{published.pk}") == READ
    assert allowed(contributor, f"/{collection}/{theirs.pk}") == READ
    assert allowed(author, f"/{collection}/{theirs.pk}") == CHANGE


@pytest.mark.parametrize("collection", FACTORIES)
def test_an_editor_of_another_institution_may_only_read(stranger, collection):
    record = FACTORIES[collection]()
    both = caller("editor", institution="1002", key=key_for("1001", "1002"))

    for outsider in (stranger, both):
        assert allowed(outsider, f"/{collection}/{record.pk}") == READ
        assert allowed(outsider, f"/{collection}") == CREATE


@pytest.mark.parametrize("address", ["/events/987654321", "/tags/0", "/venues/by-slug/no"])
def test_what_is_not_there_can_be_written_by_nobody(editor, address):
    assert allowed(editor, address) == READ


@pytest.mark.parametrize("address", ["", "/doc", "/events.ics"])
def test_what_is_only_read_is_described_alike_to_all(anonymous, editor, address):
    assert allowed(anonymous, address) == allowed(editor, address) == READ


def test_the_allow_of_a_wrong_method_lists_what_the_resource_supports(anonymous):
    response = anonymous.put("/events", {})

    assert response.status_code == 405
    assert response["Allow"] == "GET, POST, HEAD, OPTIONS"


@pytest.mark.parametrize("role", ["editor", "author", "contributor", ""])
@pytest.mark.parametrize("collection", BODIES)
def test_what_options_leaves_out_is_refused_and_what_it_names_is_not(role, collection):
    viewer = caller(*([role] if role else []))
    for author in (viewer.user, caller().user):
        is_term = collection in {"categories", "tags"}
        record = FACTORIES[collection](**({} if is_term else {"author": author}))
        for address, methods in (
            (f"/{collection}", ["POST"]),
            (f"/{collection}/{record.pk}", ["POST", "PUT", "PATCH", "DELETE"]),
        ):
            may = allowed(viewer, address)
            for method in methods:
                status = viewer.send(method, address, {}).status_code
                assert (status in {200, 400}) == (method in may), (method, address)
                assert status in {200, 400, 403}
