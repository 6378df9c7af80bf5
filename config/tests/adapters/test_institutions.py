"""What the calendar learns of the institutions of the authorization server."""

import pytest
from django.test import Client

from authserver.tests.factories import InstitutionFactory, UserFactory
from calendar_events.models import Venue

pytestmark = pytest.mark.django_db
ADD = "/admin/calendar_events/venue/add/"


def test_admin_offers_the_institutions_of_the_authorization_server_and_no_other():
    InstitutionFactory(registry_id="1002", name="Northgate")
    InstitutionFactory(registry_id="1003", name="Lakeview", is_active=False)
    client = Client()
    client.force_login(UserFactory(administrator=True))

    form = client.get(ADD).context["adminform"].form
    client.post(ADD, {"institution": "9999", "name": "Hall"})
    client.post(ADD, {"institution": "1002", "name": "Hall"})

    assert list(form.fields["institution"].choices)[1:] == [
        ("1003", "Lakeview (1003), inactive"),
        ("1002", "Northgate (1002)"),
    ]
    assert [venue.institution for venue in Venue.objects.all()] == ["1002"]
