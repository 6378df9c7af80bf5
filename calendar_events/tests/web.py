"""A web server on the loopback address, for tests that fetch."""

import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import PIL.Image

LOOPBACK = ["127.0.0.0/8"]


class Server(ThreadingHTTPServer):
    """A server that says nothing when a client leaves, which is what many tests do."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(*answers):
    """Yield the address of a server that gives each visitor the next answer.

    An answer is ``(status, headers, body)``, or a function that gets the request handler.
    The last one is given again and again.
    """
    visits = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            visits.append(self)
            answer = answers[min(len(visits), len(answers)) - 1]
            if callable(answer):
                answer(self)
                return
            status, headers, body = answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            """Say nothing."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    server.visits = visits
    server.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


MODES = {"JPEG": "RGB", "GIF": "P", "PNG": "RGBA", "WEBP": "RGBA"}


def picture(width=8, height=6, *, file_format="PNG", mode="") -> bytes:
    """Return the bytes of a picture."""
    buffer = BytesIO()
    PIL.Image.new(mode or MODES[file_format], (width, height)).save(buffer, file_format)
    return buffer.getvalue()
