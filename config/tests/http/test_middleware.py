"""What the project adds to the middleware of its libraries."""

import pytest
from django.conf import settings
from django.http import HttpResponse
from simple_history.models import HistoricalRecords

from config.http.middleware import HistoryMiddleware
from config.serving.server import OVERLOADED

EVENTS = f"{settings.CALENDAR_EVENTS['ROOT_PATH']}/events"


def test_the_history_is_told_of_writes_and_pages_but_not_of_reads_of_the_apis(rf):
    told = []

    def get_response(request):
        told.append(getattr(HistoricalRecords.context, "request", None))
        return HttpResponse()

    requests = [rf.get(EVENTS), rf.head(EVENTS), rf.post(EVENTS), rf.get("/admin/")]
    for request in requests:
        HistoryMiddleware(get_response)(request)

    assert told == [None, None, *requests[2:]]
    assert not hasattr(HistoricalRecords.context, "request")


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/platform/events/v1/events", "application/json"),
        ("/platform/identity/v1", "application/xml"),
        ("/oauth2/token", "application/json"),
        ("/oauth2/institution", "text/html"),
        ("/", "text/html"),
    ],
)
def test_without_a_free_thread_every_address_is_503_in_its_own_format(
    client, path, content_type
):
    # No database fixture: asking the database would fail.
    response = client.get(path, **{OVERLOADED: True})

    assert response.status_code == 503
    assert response["Retry-After"] == "2"
    assert response["Content-Type"].startswith(content_type)
    assert response["x-svc-RequestId"]
