"""Whatever the published document allows, and more: no 500, no answer outside the document.

Schemathesis makes the requests, half of them valid, from the document that ``/doc`` serves.
The short form runs with the suite; ``FUZZ=long`` looks for minutes.
"""

import os

import orjson
import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from calendar_events.api.schema.document import document
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    ImageFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.fuzz, pytest.mark.both_databases]

IS_LONG = os.environ.get("FUZZ") == "long"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ROOT = "http://testserver/platform/events/v1"

published = schemathesis.openapi.from_dict(orjson.loads(document(ROOT)))
published.app = get_wsgi_application()
OPERATIONS = [found.ok() for found in published.get_all_operations()]


@pytest.fixture(autouse=True)
def _one_connection():
    """Stay on the connection of the test, as Django's own test client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def world(editor):
    """A few records that requests can meet, half of them in odd states."""
    venue, organizer = VenueFactory(complete=True), OrganizerFactory(complete=True)
    category = CategoryFactory()
    child, tag = CategoryFactory(parent=category), TagFactory()
    links = {"venues": [venue], "organizers": [organizer], "terms": [child, tag]}
    events = [
        EventFactory(image=ImageFactory(), **links),
        EventFactory(protected=True, author=editor.user, **links),
        EventFactory(draft=True, slug=""),
        EventFactory(trashed=True),
        EventFactory(institution="1002"),
        EventFactory(scheduled=True),
    ]
    return {
        "events": events,
        "venues": [venue, VenueFactory(trashed=True), VenueFactory(draft=True)],
        "organizers": [organizer, OrganizerFactory(trashed=True)],
        "categories": [category, child],
        "tags": [tag],
    }


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda found: found.label)
def test_no_request_makes_it_fail_or_leave_the_document(operation, world, editor):
    records = world.get(operation.path.strip("/").split("/")[0].split(".")[0], [])

    @settings(
        max_examples=400 if IS_LONG else 5,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate, *([Phase.shrink] if IS_LONG else [])],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), record=st.sampled_from([None, *records]))
    def look(case, record):
        if record is not None and case.path_parameters:
            if "id" in case.path_parameters:
                case.path_parameters["id"] = record.pk
            elif getattr(record, "slug", ""):
                case.path_parameters["slug"] = record.slug
        # An answer that is cut by ``_fields`` lacks what the shape of a whole one promises.
        case.query.pop("_fields", None)
        case.headers = {
            **(case.headers or {}),
            "Authorization": f"Bearer {editor.token}",
            "Host": "testserver",
        }
        case.call_and_validate(checks=CHECKS)

    look()
