"""Headers of every page, forged and stale forms, and where a form says it comes from."""

from datetime import timedelta
from http import HTTPStatus
from urllib.parse import urlencode

import lxml.html
import pytest
from django.core.signals import got_request_exception
from django.db import InterfaceError, OperationalError, connection
from django.db.models import F
from django.test import Client, RequestFactory
from django.views.debug import SafeExceptionReporterFilter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from authserver.models import Session
from authserver.tests import factories
from authserver.tests.visitor import Visitor
from authserver.views.pages import base
from platform_errors.errors.django_handlers import server_error
from platform_errors.http.request_id import RequestIdMiddleware

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OUT_OF_DATE = "This page was out of date"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def pages(visitor, address, key, alice, log_in):
    """Every page of the journey, by its name."""
    found = {}

    def keep(name):
        found[name] = visitor.response

    visitor.open(address(key, at=""))
    keep("institution")
    visitor.press("institution=1001")
    keep("login")
    log_in(password="wrong")
    keep("login failed")
    log_in()
    keep("grant")
    visitor.open("/oauth2/access")
    keep("access")
    visitor.open("/oauth2/access/password")
    keep("password")
    visitor.open("/oauth2/logout")
    keep("logout")
    visitor.open("/oauth2/grant?request=none")
    keep("outdated")
    visitor.open(address(key, redirect_uri=None))
    keep("refused")
    visitor.send("/oauth2/logout")
    keep("csrf")
    visitor.open(address(key))
    keep("back to the grant")
    return found


def test_no_page_is_kept_framed_or_named_to_others(pages):
    for name, response in pages.items():
        assert "no-store" in response["Cache-Control"], name
        assert response["X-Frame-Options"] == "DENY", name
        assert response["Referrer-Policy"] == "no-referrer", name
        assert response["X-Content-Type-Options"] == "nosniff", name
        assert response["Cross-Origin-Opener-Policy"] == "same-origin", name
        policy = response["Content-Security-Policy"]
        assert "default-src 'none'" in policy, name
        assert "frame-ancestors 'none'" in policy, name
        assert "base-uri 'none'" in policy, name
        assert "unsafe" not in policy, name


def test_every_page_but_the_grant_page_sends_its_forms_here_alone(pages):
    without = {
        name
        for name, response in pages.items()
        if "form-action 'self'" not in response["Content-Security-Policy"]
    }

    assert without == {"grant", "back to the grant"}
    for name in without:
        assert "form-action" not in pages[name]["Content-Security-Policy"]


def test_no_page_has_inline_scripts_styles_or_foreign_assets(pages):
    for name, response in pages.items():
        text = response.content.decode()
        assert "<style" not in text, name
        assert " style=" not in text, name
        assert "<script>" not in text, name
        assert foreign_assets(text) == [], name


def foreign_assets(text):
    """Return the addresses of what a browser would fetch for a page from elsewhere."""
    fetched = lxml.html.fromstring(text).xpath(
        "//*[not(self::a)]/@src | //link/@href | //object/@data | //@srcset | //@poster"
    )
    return [url for url in fetched if not url.startswith("/") or url.startswith("//")]


@pytest.mark.parametrize(
    "tag",
    [
        '<script src="//evil.example/x.js"></script>',
        '<img src="http://evil.example/i.png">',
        '<link rel="stylesheet" href="https://evil.example/s.css">',
        '<img srcset="https://evil.example/i.png 2x">',
    ],
)
def test_a_foreign_asset_would_be_noticed(tag):
    page = f'<html><head></head><body><main>{tag}<script src="/own.js"></script></main>'

    assert len(foreign_assets(page)) == 1


def test_redirects_are_not_kept_either(visitor, address, key):
    response = visitor.client.get(address(key))

    assert response.status_code == HTTPStatus.FOUND
    assert "no-store" in response["Cache-Control"]


def test_the_session_cookie_is_for_the_server_alone(visitor, address, key):
    visitor.open(address(key))

    cookie = visitor.client.cookies["session"]
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "Lax"


# Forms.


@pytest.mark.parametrize(
    "path",
    [
        "institution",
        "login?institution=1001",
        "grant",
        "login/switch",
        "cancel",
        "access",
        "access/password",
        "access/name",
        "logout",
    ],
)
def test_a_forged_form_changes_nothing_and_is_answered_with_a_way_on(
    visitor, riverside, path
):
    visitor.send(f"/oauth2/{path}", {"institution": "1001", "decision": "allow"})

    assert visitor.status == HTTPStatus.FORBIDDEN
    assert visitor.heading == OUT_OF_DATE
    (link,) = visitor.page.xpath("//main//a/@href")
    assert link == f"/oauth2/{path}"


def test_a_form_of_before_the_login_is_out_of_date_and_leads_on(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    login, stale = visitor.url, dict(visitor.page.forms[0].form_values())
    log_in()

    visitor.send(login, {**stale, "username": "alice", "password": factories.PASSWORD})
    assert visitor.heading == OUT_OF_DATE

    visitor.follow("Open the page again")
    assert visitor.heading == "Allow Campus Planner to act for you?"


def post_login(**headers):
    """Send the login form with these headers; return the response."""
    client = Client(enforce_csrf_checks=True)
    path = "/oauth2/login?institution=1001"
    client.get(path)
    return client.post(
        path,
        {
            "username": "alice",
            "password": factories.PASSWORD,
            "csrfmiddlewaretoken": client.cookies["csrf"].value,
        },
        headers=headers,
    )


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://testserver"},
        {"Origin": "null", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "null"},
    ],
)
def test_a_form_of_our_own_is_believed(alice, headers):
    assert post_login(**headers).status_code == HTTPStatus.FOUND


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "null", "Sec-Fetch-Site": "same-site"},
        {"Origin": "null", "Sec-Fetch-Site": "none"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
    ],
)
def test_a_form_of_somebody_else_is_not(alice, headers):
    response = post_login(**headers)

    assert response.status_code == HTTPStatus.FORBIDDEN
    assert OUT_OF_DATE in response.content.decode()


def test_a_host_that_is_not_ours_is_refused_before_anything():
    response = Client().post(
        "/oauth2/logout",
        headers={"Host": "evil.example", "Origin": "null", "Sec-Fetch-Site": "same-origin"},
    )

    assert response.status_code == HTTPStatus.BAD_REQUEST


def test_what_users_and_applications_are_called_is_escaped(
    visitor, address, key, alice, riverside, log_in
):
    key.name = "<img src=x onerror=alert(1)>"
    key.save()
    riverside.name = "<b>Riverside</b>"
    riverside.save()
    alice.full_name = "<i>Alice</i>"
    alice.save()

    visitor.open(address(key))
    log_in()

    assert not visitor.page.xpath("//main//img | //main//b | //main//i")
    assert "<i>Alice</i>" in visitor.text


def test_a_page_that_broke_names_the_request_and_nothing_internal():
    request = RequestFactory().get("/oauth2/login")

    response = RequestIdMiddleware(server_error)(request)

    text = response.content.decode()
    assert response.status_code == HTTPStatus.INTERNAL_SERVER_ERROR
    assert "Something broke on our side" in text
    assert response["x-svc-RequestId"] in text


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("&".join(f"a{n}=1" for n in range(1001)), FORM),
        ("password=" + "x" * (2 * 1024 * 1024 + 1), FORM),
        ("--x", "multipart/form-data; boundary="),
    ],
)
def test_a_body_that_cannot_be_read_is_answered_with_words(riverside, body, content_type):
    path = "/oauth2/login?institution=1001"

    response = Client(enforce_csrf_checks=True).post(path, body, content_type)

    assert response.status_code in {400, 403, 413}
    assert "<h1>" in response.content.decode()


def test_a_form_that_is_too_large_is_413_without_a_traceback_in_the_log(riverside, caplog):
    body = "password=" + "x" * (3 * 1024 * 1024)

    browser = Client(enforce_csrf_checks=True)
    browser.get("/oauth2/login?institution=1001")  # the CSRF cookie
    response = browser.post("/oauth2/login?institution=1001", body, FORM)

    assert response.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert "<h1>Too much was sent</h1>" in response.content.decode()
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.django_db(transaction=True)
def test_a_session_that_cannot_be_saved_now_is_503(alice):
    def fail(execute, sql, *arguments):
        if sql.startswith("UPDATE") and "session" in sql:
            raise OperationalError("terminating connection")
        return execute(sql, *arguments)

    visitor = Visitor(raise_request_exception=False)
    visitor.client.force_login(alice, "authserver.accounts.backends.InstitutionBackend")
    # In use for two minutes: it is written back.
    Session.objects.update(expire_date=F("expire_date") - timedelta(minutes=2))
    with connection.execute_wrapper(fail):
        visitor.open("/oauth2/access")

    assert (visitor.status, visitor.heading) == (503, "The server is busy")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("failure", [OperationalError, InterfaceError])
def test_a_database_that_is_locked_is_503_with_words(riverside, failure):
    def fail(execute, sql, *arguments):
        raise failure("database is locked")

    visitor = Visitor(raise_request_exception=False)
    with connection.execute_wrapper(fail):
        visitor.open("/oauth2/institution")

    assert visitor.status == HTTPStatus.SERVICE_UNAVAILABLE
    assert visitor.response["Retry-After"] == "2"
    assert visitor.heading == "The server is busy"
    assert "locked" not in visitor.text


# Whatever is typed or forged (hypothesis).

anything = st.text(max_size=300)


@pytest.fixture
def steps(visitor, address, key, alice, log_in):
    """The addresses of the pages of requests that are open, and a valid CSRF token."""
    visitor.open(address(key, at=""))
    choosing = visitor.url
    visitor.open(address(key))
    login = visitor.url
    log_in()
    grant = visitor.url
    visitor.open("/oauth2/access/password")
    token = visitor.field("csrfmiddlewaretoken").get("value")
    pages = [choosing, login, grant, "/oauth2/access", "/oauth2/access/password"]
    return visitor, pages, token


@pytest.mark.fuzz
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=settings.default.max_examples // 2,  # each opens a page and sends a form
)
@given(data=st.data())
def test_no_input_breaks_a_page_or_leads_away_from_a_verified_address(steps, data):
    visitor, pages, token = steps
    page = data.draw(st.sampled_from(pages))
    names = ["institution", "username", "password", "decision", "scope", "application"]
    names += ["oldpassword", "password1", "password2", "remember"]
    form = data.draw(st.dictionaries(st.sampled_from(names), anything))
    query = data.draw(st.dictionaries(st.sampled_from(["q", "institution", "x"]), anything))

    visitor.open(f"{page}{'&' if '?' in page else '?'}{urlencode(query)}")
    assert visitor.status < HTTPStatus.INTERNAL_SERVER_ERROR
    visitor.send(page, {**form, "csrfmiddlewaretoken": token})

    assert visitor.status < HTTPStatus.INTERNAL_SERVER_ERROR
    assert visitor.left_for == "" or visitor.left_for.startswith(
        "https://client.example/cb?"
    )


@pytest.mark.parametrize("page", ["login?institution=1001", "access/password", "grant"])
def test_no_error_report_shows_what_was_sent(client, monkeypatch, page):
    """Not even when the page breaks before its view is reached."""
    secret = {"password": "hunter2 of alice", "oldpassword": "hunter2 of alice"}

    def fail(*_arguments):
        raise RuntimeError("broken")

    monkeypatch.setattr(base, "require_within_rate", fail)
    client.raise_request_exception = False
    seen = []
    got_request_exception.connect(listener := lambda request, **_: seen.append(request))

    response = client.post(f"/oauth2/{page}", secret)

    got_request_exception.disconnect(listener)
    shown = SafeExceptionReporterFilter().get_post_parameters(seen[0])
    assert response.status_code == 500
    assert set(shown.values()) == {SafeExceptionReporterFilter.cleansed_substitute}
