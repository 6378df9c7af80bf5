"""A server whose every thread would wait for slow providers, if they were let."""

import socket
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from itertools import islice
from urllib.parse import urljoin

import httpx
import lxml.html
import pytest

from config.tests import servers

pytestmark = pytest.mark.processes
THREADS = 4
ISSUER_IS_HERE = """
from authserver.models import Institution
from config.demo import issuer
issuer.seed(Institution.objects.get(registry_id="1004"))
"""
SET_UP = """
from authserver.models import Institution, SignInMethod
for port in {ports}:
    method = SignInMethod.objects.create(
        institution=Institution.objects.get(registry_id="1003"), name=f"Slow {{port}}",
        issuer=f"http://127.0.0.1:{{port}}", client_id="calendar", is_active=True,
    )
    print(method.provider_id)
"""


def test_slow_providers_leave_threads_for_other_institutions_and_passwords(tmp_path):
    with ExitStack() as stack:
        slow = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in "1234"]
        server = stack.enter_context(
            servers.demo_server(
                tmp_path, WORKERS="1", THREADS=str(THREADS), FEDERATION_SECONDS="120"
            )
        )
        ports = [each.getsockname()[1] for each in slow]
        server.manage("shell", "-c", ISSUER_IS_HERE)
        printed = server.manage("shell", "-v0", "-c", SET_UP.format(ports=ports))
        addresses = [
            f"{server.auth_url}/login/at/{provider}?institution=1003"
            for provider in printed.split()
        ]

        pool = stack.enter_context(ThreadPoolExecutor(len(addresses)))
        stack.callback(lambda: [each.close() for each in slow])  # before the pool waits
        waiting = [pool.submit(httpx.get, each, timeout=240) for each in addresses]
        first = islice(as_completed(waiting, timeout=60), 2)
        assert [each.result().status_code for each in first] == [503, 503]

        browser = stack.enter_context(httpx.Client(follow_redirects=True, timeout=60))
        _signs_in_at_the_demonstrations_issuer(server, browser)
        assert sum(each.done() for each in waiting) == 2
        browser.cookies.clear()
        page = browser.get(f"{server.auth_url}/login?institution=1001")
        assert "Password" in page.text


def _signs_in_at_the_demonstrations_issuer(server, browser):
    page = browser.get(f"{server.auth_url}/login?institution=1004")
    for words in ("Continue", "I am Nora North"):
        document = lxml.html.document_fromstring(page.text)
        (address,) = document.xpath("//a[normalize-space()=$words]/@href", words=words)
        page = browser.get(urljoin(str(page.url), address))
    assert "My account" in page.text
