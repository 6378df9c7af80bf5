"""The authorization request: every rule of decisions 3, each refusal with its members."""

from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.utils import timezone

from authserver import authorization
from authserver.authorization import AuthorizationRequest, Refusal
from authserver.tests import factories

pytestmark = pytest.mark.django_db

CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
REDIRECT = "https://client.example/cb"


@pytest.fixture
def institution():
    return factories.InstitutionFactory(registry_id="1001")


@pytest.fixture
def key(institution):
    key = factories.ServiceKeyFactory(client_id="spa", institutions=[institution])
    for code, name, traits in [
        ("calendar_events", "Calendar Events", {}),
        ("directory", "Directory", {}),
        ("archive", "Archive", {"canceled": True}),
        ("reports", "Reports", {"expired": True}),
        ("read:one", "Read one", {}),
    ]:
        factories.KeyServiceFactory(
            key=key, service__code=code, service__name=name, **traits
        )
    return key


@pytest.fixture
def ask(key):
    """Validate a good request, changed by the arguments; ``None`` leaves one out."""

    def ask(raw="", *, registry_id=None, old_generation=False, **changes):
        values = {
            "client_id": key.client_id,
            "redirect_uri": REDIRECT,
            "response_type": "code",
            "scope": "calendar_events",
            "state": "xyz",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
        } | changes
        query = urlencode({name: v for name, v in values.items() if v is not None}) + raw
        return authorization.validate(
            query.encode("latin-1"),
            registry_id=registry_id,
            now=timezone.now(),
            old_generation=old_generation,
        )

    return ask


def answer(refusal):
    """What the application reads from the redirect."""
    assert isinstance(refusal, Refusal)
    query = parse_qs(urlsplit(refusal.location).query, keep_blank_values=True)
    assert all(len(values) == 1 for values in query.values())
    return {name: value for name, (value,) in query.items()}


def assert_local(refusal, error, http_code):
    assert isinstance(refusal, Refusal)
    assert (refusal.error, refusal.http_code) == (error, http_code)
    assert refusal.location is None


def test_a_good_request_is_understood(ask, key):
    request = ask(scope="calendar_events  directory calendar_events refresh_token")

    assert isinstance(request, AuthorizationRequest)
    assert request.key.client_id == key.client_id
    assert request.redirect_uri == REDIRECT
    assert request.scopes.tokens == ("calendar_events", "directory", "refresh_token")
    assert (request.state, request.code_challenge) == ("xyz", CHALLENGE)
    assert request.institution is None


def test_validation_costs_one_query(ask, django_assert_num_queries):
    with django_assert_num_queries(1):
        ask()


def test_hints_of_the_client_are_ignored(ask):
    assert isinstance(
        ask(approval_prompt="auto", prompt="none", foo=""), AuthorizationRequest
    )


# --- Where errors go (decisions 3.2) ------------------------------------------------------


def test_an_unknown_key_is_not_redirected_to_an_unverified_address(ask):
    refusal = ask(client_id="nope", redirect_uri="https://evil.example/")

    assert_local(refusal, "invalid_client_id", 401)
    assert refusal.description == "service key nope is invalid"


def test_an_unknown_key_is_redirected_to_an_https_address_of_an_active_key(ask):
    assert answer(ask(client_id="nope")) == {
        "error": "invalid_client_id",
        "error_description": "service key nope is invalid",
        "http_code": "401",
        "state": "xyz",
        "iss": "http://testserver",
    }


@pytest.mark.parametrize("traits", [{"canceled": True}, {"expired": True}])
def test_an_unknown_key_is_not_redirected_to_an_address_of_a_dead_key(ask, traits):
    factories.ServiceKeyFactory(redirect_uris="https://dead.example/cb", **traits)

    assert_local(
        ask(client_id="nope", redirect_uri="https://dead.example/cb"),
        "invalid_client_id",
        401,
    )


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/cb",
        "app.example:/cb",
        REDIRECT + "/",
        REDIRECT[:-1],
        REDIRECT.upper(),
    ],
)
def test_an_unknown_key_is_redirected_to_that_very_https_address_only(ask, address):
    factories.ServiceKeyFactory(redirect_uris="http://127.0.0.1/cb app.example:/cb")

    assert_local(ask(client_id="nope", redirect_uri=address), "invalid_client_id", 401)


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/cb",
        "https://client.example/cb/",
        "https://client.example/cb?x=1",
        "https://client.example/cb#f",
        "https://CLIENT.example/cb",
        "HTTPS://client.example/cb",
        "https://client.example:443/cb",
        "https://client.example/%63b",
        "https://user@client.example/cb",
        "https://client.example/cb https://client.example/cb",
        "//client.example/cb",
        "javascript:alert(1)",
        "\x00",
    ],
)
def test_an_address_that_is_not_registered_gets_nothing(ask, address):
    assert_local(ask(redirect_uri=address), "redirect_uri_mismatch", 403)


@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
@pytest.mark.parametrize("value", [None, ""])
def test_without_client_or_address_there_is_a_local_page(ask, name, value):
    refusal = ask(**{name: value})

    assert_local(refusal, "invalid_request", 400)
    assert refusal.description == f"required parameter '{name}' is missing or blank"


@pytest.mark.parametrize(
    "name",
    [
        "client_id",
        "redirect_uri",
        "response_type",
        "scope",
        "state",
        "code_challenge",
        "code_challenge_method",
        "unknown",
    ],
)
def test_a_repeated_parameter_is_a_local_page(ask, name):
    assert_local(ask(f"&{name}=1&{name}=1"), "invalid_request", 400)


@pytest.mark.parametrize("raw", ["&x=%ZZ", "&x=%", "&x=%ff", "&x=\xff", "&%c3=1"])
def test_a_query_that_cannot_be_decoded_is_a_local_page(ask, raw):
    assert_local(ask(raw), "invalid_request", 400)


def test_a_flood_of_parameters_is_a_local_page(ask):
    assert_local(ask("".join(f"&p{n}=1" for n in range(200))), "invalid_request", 400)


def test_an_expired_key_is_redirected(ask, key):
    key.expires_at = timezone.now() - timedelta(seconds=1)
    key.save()

    assert answer(ask()) == {
        "error": "invalid_client_id",
        "error_description": "service key is expired",
        "http_code": "401",
        "state": "xyz",
        "iss": "http://testserver",
    }


def test_a_canceled_key_is_redirected(ask, key):
    key.status = key.Status.CANCELED
    key.save()

    assert answer(ask()) == {
        "error": "invalid_client_id",
        "error_description": "service key has been canceled",
        "http_code": "403",
        "state": "xyz",
        "iss": "http://testserver",
    }


# --- state and the address
# -----------------------------------------------------------------


@pytest.mark.parametrize(
    "state", ["a b", "a+b", "é✓", "a=b&c=d", "%41", "myroot/mypage", '"<>']
)
def test_state_comes_back_exactly(ask, state):
    assert answer(ask(state=state, response_type="token"))["state"] == state


def test_state_that_was_not_sent_does_not_come_back(ask):
    assert "state" not in answer(ask(state=None, response_type="token"))


@pytest.mark.parametrize("state", ["a\x00b", "a\nb", "x" * 4097])
def test_state_that_cannot_be_kept_is_refused(ask, state):
    assert answer(ask(state=state))["error"] == "invalid_request"


@pytest.mark.parametrize(
    ("registered", "expected"),
    [
        ("https://c.example/cb", "https://c.example/cb?code=1&iss=http%3A%2F%2Ftestserver"),
        (
            "https://c.example/cb?a=%41&b",
            "https://c.example/cb?a=%41&b&code=1&iss=http%3A%2F%2Ftestserver",
        ),
        (
            "https://c.example/cb?",
            "https://c.example/cb?code=1&iss=http%3A%2F%2Ftestserver",
        ),
        (
            "https://c.example/cb?iss=x&co%64e=y&a=1",
            "https://c.example/cb?a=1&code=1&iss=http%3A%2F%2Ftestserver",
        ),
        ("app.example:/cb", "app.example:/cb?code=1&iss=http%3A%2F%2Ftestserver"),
        ("ncip://testapp", "ncip://testapp?code=1&iss=http%3A%2F%2Ftestserver"),
    ],
)
def test_the_registered_query_is_kept(registered, expected):
    assert authorization.redirect_url(registered, code="1", state="") == expected


@pytest.mark.parametrize(
    "requested",
    ["http://127.0.0.1/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb"],
)
def test_the_port_of_a_loopback_literal_is_free(ask, key, requested):
    key.redirect_uris = "http://127.0.0.1:8000/cb"
    key.save()

    assert ask(redirect_uri=requested).redirect_uri == requested


# --- response_type and PKCE (decisions 3.3, 3.4)
# -------------------------------------------


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (None, "invalid_request"),
        ("", "invalid_request"),
        ("token", "unsupported_response_type"),
        ("code token", "unsupported_response_type"),
        ("CODE", "unsupported_response_type"),
    ],
)
def test_only_code_is_answered(ask, value, error):
    reply = answer(ask(response_type=value))

    assert (reply["error"], reply["http_code"]) == (error, "400")


@pytest.mark.parametrize(
    "pkce",
    [
        {"code_challenge": None},
        {"code_challenge": ""},
        {"code_challenge": CHALLENGE[:-1]},
        {"code_challenge": CHALLENGE + "a"},
        {"code_challenge": CHALLENGE[:-1] + "="},
        {"code_challenge": CHALLENGE[:-1] + "é"},
        {"code_challenge": CHALLENGE[:-1] + "+"},
        {"code_challenge": CHALLENGE + "\n"},
        {"code_challenge": "a" * 5000},
        {"code_challenge_method": None},
        {"code_challenge_method": ""},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": "s256"},
        {"code_challenge": None, "code_challenge_method": None},
    ],
)
def test_pkce_is_refused_before_any_page_unless_it_is_exactly_right(ask, pkce):
    reply = answer(ask(**pkce))

    assert (reply["error"], reply["http_code"]) == ("invalid_request", "400")


def test_a_confidential_key_needs_pkce_too(ask, key):
    key.set_secret("s", now=timezone.now())
    key.save()

    assert answer(ask(code_challenge=None, code_challenge_method=None))["error"] == (
        "invalid_request"
    )


def test_an_old_generation_key_with_a_secret_may_leave_pkce_out(ask, key):
    key.old_generation = True
    key.set_secret("s", now=timezone.now())
    key.save()

    assert ask(code_challenge=None, code_challenge_method=None).code_challenge == ""
    assert ask().code_challenge == CHALLENGE
    assert isinstance(ask(code_challenge=""), Refusal)
    assert isinstance(ask(code_challenge_method=None), Refusal)


def test_an_old_generation_key_without_a_secret_may_not(ask, key):
    key.old_generation = True
    key.save()

    assert isinstance(ask(code_challenge=None, code_challenge_method=None), Refusal)


# --- Scopes (decisions 3.5)
# ------------------------------------------------------------------


@pytest.mark.parametrize(
    "scope", [None, "", " ", "refresh_token", "context:1001", "refresh_token context:1001"]
)
def test_a_missing_or_blank_scope_is_refused(ask, scope):
    reply = answer(ask(scope=scope))

    assert reply["error"] == "invalid_scope"
    assert reply["http_code"] == "400"
    assert reply["error_description"] == "required parameter 'scope' is missing or blank"


@pytest.mark.parametrize("scope", ["a\tb", "calendar_events\n", 'a"b', "a\\b", "é", "\x00"])
def test_a_scope_outside_the_grammar_is_refused(ask, scope):
    reply = answer(ask(scope=scope))

    assert (reply["error"], reply["http_code"]) == ("invalid_scope", "400")


@pytest.mark.parametrize(
    ("scope", "problems"),
    [
        ("archive", "archive (Archive) [Canceled]"),
        ("reports", "reports (Reports) [Expired]"),
        ("nope", "nope (nope) [Not on key]"),
        (
            "reports calendar_events nope archive",
            "reports (Reports) [Expired], nope (nope) [Not on key], "
            "archive (Archive) [Canceled]",
        ),
    ],
)
def test_services_that_the_key_lacks_are_named_in_request_order(ask, scope, problems):
    reply = answer(ask(scope=scope))

    assert reply["error"] == "invalid_scope"
    assert reply["http_code"] == "403"
    assert reply["error_description"] == f"Invalid scope(s): {problems}"


def test_a_service_of_the_platform_that_is_not_on_the_key_is_named_by_its_scope(ask):
    factories.ServiceFactory(code="billing", name="Billing")

    assert answer(ask(scope="billing"))["error_description"] == (
        "Invalid scope(s): billing (billing) [Not on key]"
    )


def test_a_code_may_have_a_colon(ask):
    assert ask(scope="read:one").scopes.services == ("read:one",)


# --- Institution (decisions 3.7)
# -------------------------------------------------------------


def test_the_path_chooses_the_institution(ask):
    assert ask(registry_id="1001").institution == "1001"


def test_context_chooses_like_the_path(ask):
    request = ask(scope="context:1001 calendar_events")

    assert request.institution == "1001"
    assert str(request.scopes) == "context:1001 calendar_events"


def test_path_and_context_may_agree(ask):
    assert (
        ask(registry_id="1001", scope="calendar_events context:1001").institution == "1001"
    )


def test_path_and_context_may_not_differ(ask):
    reply = answer(ask(registry_id="1001", scope="calendar_events context:1002"))

    assert (reply["error"], reply["http_code"]) == ("invalid_request", "400")


def test_two_contexts_may_not_differ(ask):
    reply = answer(ask(scope="calendar_events context:1001 context:1002"))

    assert reply["error"] == "invalid_request"


@pytest.mark.parametrize("registry_id", ["9999999", "1002", "1003"])
def test_an_unknown_inactive_or_foreign_institution_is_refused(ask, key, registry_id):
    factories.KeyInstitutionFactory(
        key=key, institution=factories.InstitutionFactory(registry_id="1002", inactive=True)
    )
    factories.InstitutionFactory(registry_id="1003")

    for reply in (
        answer(ask(registry_id=registry_id)),
        answer(ask(scope=f"calendar_events context:{registry_id}")),
    ):
        assert reply["error"] == "access_denied_institution"
        assert reply["http_code"] == "403"
        assert reply["error_description"] == (
            f"clientId spa doesn't have access to contextInstitutionId {registry_id}"
        )


# --- The old generation (decisions 4)
# ----------------------------------------------------------


@pytest.fixture
def old_key(key):
    key.old_generation = True
    key.set_secret("s", now=timezone.now())
    key.save()
    return key


def old(ask, **changes):
    return ask(
        old_generation=True, code_challenge=None, code_challenge_method=None, **changes
    )


def test_the_old_endpoint_is_closed_to_other_keys(ask):
    reply = answer(ask(old_generation=True))

    assert (reply["error"], reply["http_code"]) == ("unauthorized_client", "400")


def test_the_old_endpoint_takes_both_institutions(ask, old_key):
    request = old(ask, authenticatingInstitutionId="1001", contextInstitutionId="1001")

    assert request.institution == "1001"


def test_the_old_endpoint_shows_the_institution_page_without(ask, old_key):
    assert old(ask).institution is None


@pytest.mark.parametrize(
    "named",
    [
        {"authenticatingInstitutionId": "1001"},
        {"contextInstitutionId": "1001"},
        {"authenticatingInstitutionId": "1001", "contextInstitutionId": "1002"},
    ],
)
def test_the_old_endpoint_refuses_half_an_institution(ask, old_key, named):
    reply = answer(old(ask, **named))

    assert (reply["error"], reply["http_code"]) == ("invalid_request", "400")


def test_the_old_endpoint_has_no_implicit_flow(ask, old_key):
    assert answer(old(ask, response_type="token"))["error"] == "unsupported_response_type"
