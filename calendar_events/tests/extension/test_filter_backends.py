"""A second entry in ``filter_backends`` is honoured by every list."""

import pytest

from calendar_events.tests.factories import EventFactory, TagFactory, VenueFactory
from calendar_events.tests.reading import ids, pks

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.urls("calendar_events.tests.extension.urls"),
]
LISTS = ["events", "venues", "tags"]


@pytest.fixture
def records(db):
    """Return what is listed of 1001 and of 1002, by the name of the list."""
    tags = [TagFactory(institution=one) for one in ("1001", "1002")]
    venues = [VenueFactory(institution=one) for one in ("1001", "1002")]
    events = [
        EventFactory(institution=tag.institution, terms=[tag], venues=[venue])
        for tag, venue in zip(tags, venues, strict=True)
    ]
    return {"events": events, "venues": venues, "tags": tags}


@pytest.mark.parametrize("name", LISTS)
def test_a_second_filter_backend_decides_about_page_total_and_links(
    anonymous, records, name
):
    ours, theirs = records[name]

    assert len(ids(anonymous.get(f"/tenants/{name}"))) == 2
    for record in (ours, theirs):
        response = anonymous.get(f"/tenants/{name}?tenant={record.institution}")
        assert ids(response) == pks(record)
        assert response.json()["total"] == 1
        assert response.headers["X-TEC-TotalPages"] == "1"


@pytest.mark.parametrize("name", LISTS)
def test_a_second_filter_backend_may_leave_nothing(anonymous, records, name):
    response = anonymous.get(f"/nothing/{name}")

    assert ids(response) == []
    assert response.json()["total"] == 0


@pytest.mark.parametrize("name", LISTS)
def test_a_list_with_a_backend_of_a_project_has_the_tag_of_its_body(
    anonymous, records, name
):
    address = f"/tenants/{name}?tenant=1001"
    tag = anonymous.get(address).headers["ETag"]

    again = anonymous.get(address, If_None_Match=tag)

    assert again.status_code == 304
    assert again.headers["ETag"] == tag
    for other in ("tenant=1002", "tenant=", "tenant=1001&per_page=1"):
        assert (
            anonymous.get(f"/tenants/{name}?{other}", If_None_Match=tag).status_code == 200
        )


@pytest.mark.parametrize("name", LISTS)
def test_what_a_second_filter_backend_leaves_out_is_404_by_itself_too(
    anonymous, records, name
):
    ours, theirs = records[name]

    for record, status in ((ours, 200), (theirs, 404)):
        address = f"/tenants/{name}/{record.pk}?tenant=1001"
        assert anonymous.get(address).status_code == status
    assert anonymous.get(f"/nothing/{name}/{ours.pk}").status_code == 404


def test_a_narrowed_queryset_and_filter_queryset_are_honoured(anonymous, records):
    _, theirs = records["events"]
    EventFactory(institution="1002", title="Closed")

    response = anonymous.get("/northgate/events")

    assert ids(response) == pks(theirs)
    assert response.json()["total"] == 1


def test_a_feed_honours_a_second_filter_backend_and_has_no_tag(anonymous, records):
    ours, theirs = records["events"]

    response = anonymous.get("/tenants/events.ics?tenant=1002")

    text = b"".join(response).decode()
    assert f"UID:event-{theirs.pk}@" in text
    assert f"UID:event-{ours.pk}@" not in text
    assert "ETag" not in response.headers
    assert response.headers["Cache-Control"] == "private, no-cache"
