"""The issuer inside the demonstration, on a real server and in a real Chromium."""

import pytest

from authserver.tests.browser import picture

pytestmark = pytest.mark.processes
SEED = (
    "from config.demo import issuer; from authserver.models import Institution; "
    "issuer.seed(Institution.objects.get(registry_id='1004'))"
)


@pytest.fixture(autouse=True)
def moved_here(server):
    """Let the issuer be at this server's port, as a start of the server does."""
    server.manage("shell", "-c", SEED)


def test_a_newcomer_sees_the_whole_trip_with_two_clicks(server, new_page):
    page = new_page()
    page.goto(server.url)

    page.get_by_role("link", name="Sign in at Harborview University").click()
    page.get_by_role("heading", name="Harborview sign-in").wait_for()
    picture(page, "federation-demo-issuer")
    page.get_by_role("link", name="I am Nora North").click()

    page.get_by_role("heading", name="My account").wait_for()
    page.get_by_text("Nora North").first.wait_for()
    picture(page, "federation-demo-arrived")


def test_an_application_gets_its_token_by_way_of_the_issuer(server, new_page):
    page = new_page()
    page.goto(f"{server.url}/demo/")
    page.get_by_label("Institution").select_option("1004")
    page.get_by_role("button", name="Connect").click()

    page.get_by_role("link", name="I am Otto Olsen").click()
    page.get_by_role("button", name="Allow").click()

    page.get_by_text("Connected at institution 1004 as ").wait_for()


def test_who_cancels_at_the_issuer_comes_back_to_words_and_goes_on(server, new_page):
    page = new_page(viewport={"width": 320, "height": 640})
    page.goto(f"{server.url}/demo/")
    page.get_by_role("button", name="Connect").click()
    page.get_by_role("button", name="Harborview University").click()
    page.get_by_role("link", name="Cancel").click()

    page.get_by_role("heading", name="You are not signed in").wait_for()
    picture(page, "federation-cancelled-320")
    page.get_by_role("link", name="Try again").click()

    page.get_by_role("link", name="I am Nora North").click()
    page.get_by_role("button", name="Allow").wait_for()
