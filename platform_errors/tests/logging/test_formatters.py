"""Log lines: one per record, with the request identifier, and nothing that opens a door."""

import json
import logging
from datetime import UTC, datetime

import pytest

from platform_errors.logging.formatters import (
    PlainFormatter,
    RequestIdFilter,
    StructuredFormatter,
)
from platform_errors.logging.redaction import redact
from platform_errors.tests.clients import authorization
from platform_errors.tests.factories import TOKEN, make_key, make_token

CODE = "auth_Ztm8UjLSKpP5V0Gskgev3v2G21sfGx18vxtA"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
SIGNATURE = "y0avD+LN2+UwehWjnezKgtECVcpD6a9ff7HBldQfKUQ="
SECRETS = [TOKEN, CODE, VERIFIER, SIGNATURE, "hunter2hunter2", "rt_" + "r" * 36]


def record_of(message, *args, **extra):
    record = logging.LogRecord(
        "a.logger", logging.WARNING, __file__, 1, message, args, None
    )
    record.__dict__.update(extra)
    RequestIdFilter().filter(record)
    return record


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret[:6])
@pytest.mark.parametrize(
    "template",
    [
        "POST /oauth2/token?grant_type=authorization_code&code={0}&client_id=x",
        "POST /oauth2/token?code_verifier={0}&code=1",
        "password={0}",
        "refresh_token={0}&x=1",
        "client_secret={0}",
        "access_token={0} ",
        "token={0}",
        '{{"code_verifier": "{0}", "password":"{0}"}}',
        "{{'password': '{0}', 'code': '{0}'}}",
        'signature="{0}", principalID="x"',
        "request has invalid signature ({0})",
        "Authorization: Bearer {0}",
        "authorization: Basic {0}",
        "'HTTP_AUTHORIZATION': 'http://platform.example/hmac/v2/v1 signature=\"{0}\"'",
        "sent Bearer {0} to us",
        'password="two words {0}"',
        "old_password={0}&new_password1={0}",
        '{{"password": "with \\" a quote {0}"}}',
        '"{{\\"password\\": \\"quoted twice {0}\\"}}"',
        "<QueryDict: {{'code_verifier': ['first', '{0}']}}>",
        "Set-Cookie: __Host-session={0}; HttpOnly",
        "{{'HTTP_COOKIE': 'csrf=1; session={0}'}}",
    ],
)
def test_what_opens_a_door_is_masked(template, secret):
    text = template.format(secret)

    assert secret not in redact(text)
    assert "[redacted]" in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "Not Found: /platform/events/v1/events/7",
        '{"code": 404, "message": "Not Found"}',
        "status_code=404",
        "zip_code=12345",
        "POST /oauth2/token",
        "the token expired",
        "GET /platform/events/v1/events?search=yoga&page=2",
        "Forbidden (CSRF cookie not set.): /admin/",
    ],
)
def test_what_explains_is_kept(text):
    assert redact(text) == text


def test_a_structured_line_is_one_json_object():
    formatter = StructuredFormatter(
        "{levelname}{name}{message}{request_id}",
        style="{",
        timestamp="time",
        rename_fields={"levelname": "level", "name": "logger"},
    )

    line = formatter.format(
        record_of(
            "password=%s\nsecond line", "x", status_code=404, request=object(), odd={1}
        )
    )

    assert "\n" not in line
    members = json.loads(line)
    assert datetime.fromisoformat(members.pop("time")).tzinfo is UTC
    assert members == {
        "level": "WARNING",
        "logger": "a.logger",
        "message": "password=[redacted]\nsecond line",
        "request_id": "",
        "status_code": 404,
        "odd": "{1}",
    }


def test_a_traceback_is_masked_as_well():
    try:
        raise ValueError(f"code_verifier={VERIFIER}")  # noqa: TRY301 -- to have a traceback
    except ValueError as error:
        record = record_of("failed")
        record.exc_info = (type(error), error, error.__traceback__)

    plain = PlainFormatter("{levelname} {message} [{request_id}]", style="{")
    structured = StructuredFormatter("{message}", style="{")

    assert VERIFIER not in plain.format(record)
    assert VERIFIER not in structured.format(record)
    assert "code_verifier=[redacted]" in structured.format(record)


@pytest.mark.django_db
def test_every_line_of_a_request_has_its_identifier_and_no_credentials(
    api, caplog, monkeypatch
):
    make_key()
    make_token()
    caplog.handler.addFilter(RequestIdFilter())
    formatter = StructuredFormatter("{message}{request_id}", style="{")
    header = authorization("GET", "/platform/broken")

    signed = api.call("GET", f"/platform/broken?code={CODE}", header)
    bearer = api.bearer("GET", "/platform/nowhere")
    forged = api.signed("GET", "/platform/credentials", signature=SIGNATURE)
    lines = [json.loads(formatter.format(record)) for record in caplog.records]

    assert [signed.status_code, bearer.status_code, forged.status_code] == [500, 404, 401]
    assert {line["request_id"] for line in lines} == {
        answer["x-svc-RequestId"] for answer in (signed, bearer, forged)
    }
    for hidden in (CODE, TOKEN, SIGNATURE, header):
        assert hidden not in json.dumps(lines)


@pytest.mark.parametrize("text", ["it was {}", "repr='{}'", "{}, and more"])
def test_a_secret_of_a_webhook_is_masked_wherever_it_stands(text):
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw9Jm3iUqLb/+="

    assert redact(text.format(secret)) == text.format("whsec_[redacted]")
