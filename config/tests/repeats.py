"""Send one request many times at once; each run is a process of its own.

``python -m config.tests.repeats PORT COUNT`` reads the request in hexadecimal from the
first line of its standard input, connects, says so, waits for another line, sends, and
prints the status of every answer.
"""

import socket
import sys

SECONDS = 240


def main() -> None:
    port, count = map(int, sys.argv[1:])
    request = bytes.fromhex(sys.stdin.readline())
    connections = [
        socket.create_connection(("127.0.0.1", port), timeout=SECONDS) for _ in range(count)
    ]
    print("ready", flush=True)  # noqa: T201 -- what the parent waits for
    sys.stdin.readline()
    for connection in connections:
        connection.sendall(request)
    print(*map(status, connections))  # noqa: T201 -- what the parent reads


def status(connection: socket.socket) -> str:
    with connection, connection.makefile("rb") as answer:
        return answer.readline().split()[1].decode()


if __name__ == "__main__":
    main()
