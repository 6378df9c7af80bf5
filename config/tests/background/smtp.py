"""A mail server that says what a test tells it to."""

import contextlib
import socketserver
import threading


class _Session(socketserver.StreamRequestHandler):
    def handle(self):
        self.server.sessions += 1
        self.wfile.write(b"220 here\r\n")
        while line := self.rfile.readline():
            verb = line[:4].upper()
            if verb == b"QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            if verb == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                self.server.messages.append(self._body())
            refuses = verb.decode() in self.server.refusals
            answer = self.server.refusals[verb.decode()] if refuses else "250 ok"
            self.wfile.write(f"{answer}\r\n".encode())

    def _body(self):
        lines = []
        while (line := self.rfile.readline().decode()) not in {".\r\n", ""}:
            lines.append(line)
        return "".join(lines)


@contextlib.contextmanager
def server(**refusals):
    """Serve; ``RCPT="550 no"`` is what it answers to that verb."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Session) as running:
        running.daemon_threads = True
        running.messages, running.refusals, running.sessions = [], refusals, 0
        thread = threading.Thread(target=running.serve_forever, args=[0.02])
        thread.start()
        try:
            yield running
        finally:
            running.shutdown()
            thread.join()
