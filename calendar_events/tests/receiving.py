"""A receiver of webhooks on the loopback address, which keeps what it was sent."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple

from standardwebhooks import Webhook

from calendar_events.tests.web import Server


class Received(NamedTuple):
    """A request that a receiver got."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self):
        return self.headers["webhook-id"]

    def verified(self, secret):
        """Return the message; the package of Standard Webhooks verifies it."""
        return Webhook(secret).verify(self.body, self.headers)


def ok(handler, received):
    """Answer 204."""
    handler.send_response(204)
    handler.end_headers()


def answering(status, headers=None, body=b""):
    """Return an answer of every message."""

    def answer(handler, received):
        handler.send_response(status)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


@contextmanager
def receiving(answer=ok):
    """Yield a receiver; ``receiver.answer`` may be changed while it runs."""
    received = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers["Content-Length"])
            headers = {name.lower(): value for name, value in self.headers.items()}
            message = Received(self.path, headers, self.rfile.read(length))
            received.append(message)
            server.answer(self, message)

        def log_message(self, *args):
            """Say nothing."""

    server = Server(("127.0.0.1", 0), Handler)
    server.answer, server.received = answer, received
    server.url = f"http://127.0.0.1:{server.server_port}/hook"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
