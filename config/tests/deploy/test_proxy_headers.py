"""What nginx with the shipped site tells the application about a caller."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from config.tests import servers
from config.tests.deploy import installation
from platform_errors.tests.documents_of import code_block, docs

pytestmark = [
    pytest.mark.skipif(not installation.NGINX, reason="needs nginx"),
    pytest.mark.processes,
]
CLAIMED = {"X-Forwarded-For": "6.6.6.6", "X-Forwarded-Proto": "ftp"}


class Echo(BaseHTTPRequestHandler):
    """Answers with the headers of which a caller's address is made."""

    def do_GET(self):
        names = ("X-Forwarded-For", "X-Forwarded-Proto")
        body = "\n".join(line for name in names for line in self.headers.get_all(name, []))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def application():
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def forwarded(directory, application):
    """Return the address and the scheme that nginx forwards of a lying caller."""
    http, https = servers.free_port(), servers.free_port()
    with installation.nginx(
        directory, http=http, https=https, applications=[application], files=directory
    ) as proxy:
        verify = ssl.create_default_context(cafile=str(proxy.certificate))
        url = f"https://127.0.0.1:{https}/"
        return httpx.get(url, headers=CLAIMED, verify=verify, timeout=240).text.split("\n")


def test_what_a_caller_says_of_its_own_address_is_dropped(tmp_path, application):
    assert forwarded(tmp_path, application) == ["127.0.0.1", "https"]


def test_behind_another_proxy_its_callers_are_told_apart(
    tmp_path, application, monkeypatch
):
    block = code_block(docs("deployment.md"), "nginx").replace("192.0.2.0/24", "127.0.0.1")
    monkeypatch.setattr(installation, "HOST", installation.HOST + block)

    assert forwarded(tmp_path, application) == ["6.6.6.6", "https"]
