"""What is at the root of the server: for crawlers, browsers and people without scripts."""

from http import HTTPStatus

import pytest
from django.test import Client


def test_robots_are_kept_from_what_is_not_public():
    response = Client().get("/robots.txt")

    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.decode().splitlines() == [
        "User-agent: *",
        "Disallow: /admin/",
        "Disallow: /demo",
        "Disallow: /platform/identity/",
        "Disallow: /oauth2/",
    ]


def test_the_icon_is_found_where_browsers_look_for_it():
    response = Client().get("/favicon.ico")

    assert response.status_code == HTTPStatus.FOUND
    assert response["Location"].endswith("authserver/icon.svg")


@pytest.mark.django_db
def test_the_token_against_forged_forms_ends_with_the_browser():
    response = Client().get("/admin/login/")

    assert response.cookies["csrf"]["max-age"] == ""
