"""nginx with the shipped site, while nothing answers behind it."""

import re
import ssl

import httpx
import pytest

from config.tests import servers
from config.tests.deploy import installation

pytestmark = [
    pytest.mark.skipif(not installation.NGINX, reason="needs nginx"),
    pytest.mark.processes,
]


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/platform/events/v1/events", "/static/no.css"),
        "/oauth2/token?code=SECRET&code_verifier=SECRET",
    ],
)
def test_callers_get_503_and_retry_after_while_the_application_is_away(tmp_path, path):
    http, https, nobody = (servers.free_port() for _ in range(3))
    with installation.nginx(
        tmp_path,
        http=http,
        https=https,
        applications=[f"127.0.0.1:{nobody}"],
        files=tmp_path,
    ) as proxy:
        verify = ssl.create_default_context(cafile=str(proxy.certificate))
        answer = httpx.get(f"https://127.0.0.1:{https}{path}", verify=verify, timeout=240)

    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "2"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.text.startswith("The service is not available now.")
    logs = "".join(log.read_text() for log in tmp_path.glob("*.log"))
    assert path.partition("?")[0] in logs
    assert "SECRET" not in logs


@pytest.mark.parametrize("place", ["nginx/calendar", "compose"])
def test_the_shipped_host_file_logs_no_requests_as_errors(place):
    shipped = (installation.DEPLOY / place / "host.conf").read_text()

    assert re.search(r"^error_log \S+ crit;$", shipped, re.MULTILINE)
