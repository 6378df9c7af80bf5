"""What the project adds to the middleware of its libraries."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse
from simple_history.models import HistoricalRecords

from config.middleware import HistoryMiddleware

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
