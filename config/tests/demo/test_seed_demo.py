"""The demonstration's command: refused where it would be a hole, and safe to repeat."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.template.loader import render_to_string
from django.test import RequestFactory

from authserver.models import ServiceKey, User
from calendar_events.models import Event
from config.demo.views import DemoClient

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_a_server_that_is_no_demonstration_gets_no_published_passwords(settings):
    settings.DEMO = False

    with pytest.raises(CommandError, match="DEMO=1"):
        call_command("seed_demo")

    assert not User.objects.exists()


def test_the_cast_is_seeded_once_and_its_events_are_kept_at_a_second_run(
    settings, tmp_path
):
    settings.MEDIA_ROOT = tmp_path
    said = io.StringIO()

    call_command("seed_demo", "--force", stdout=said)
    made = (User.objects.count(), ServiceKey.objects.count(), Event.objects.count())
    call_command("seed_demo", "--force", verbosity=0)

    assert said.getvalue() == "Demo data is in place.\n"
    assert made[2] >= 60
    again = (User.objects.count(), ServiceKey.objects.count(), Event.objects.count())
    assert again == made


def test_the_demo_client_knows_what_any_public_client_knows(settings):
    response = DemoClient.as_view()(RequestFactory().get("/demo/")).render()

    client = response.context_data["client"]
    assert client["clientId"] == "demo-spa"
    assert client["redirectUri"] == f"{settings.PUBLIC_URL}/demo/callback"
    assert client["events"] == "/platform/events/v1/events"
    assert "demo-spa" in response.content.decode()


def test_the_demonstration_says_that_it_needs_scripts():
    page = render_to_string("demo/client.html", {"client": {}})

    assert "<noscript>" in page
    assert 'id="token" tabindex="0"' in page
