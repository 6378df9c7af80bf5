"""A nonce is claimed once, by whichever process of the server gets it first."""

import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from config.tests import servers
from config.tests.test_journey_signed import signed

pytestmark = pytest.mark.processes

CLIENTS = 4
REPEATS_EACH = 25


def test_of_a_hundred_parallel_repeats_from_several_processes_exactly_one_passes(server):
    address = urlsplit(server.identity)
    request = "\r\n".join(
        [
            f"GET {address.path} HTTP/1.1",
            f"Host: {address.netloc}",
            f"Authorization: {signed('GET', server.identity)['Authorization']}",
            "Connection: close",
            "",
            "",
        ]
    )
    clients = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "config.tests.repeats"),
                *(str(address.port), str(REPEATS_EACH)),
            ],
            cwd=servers.ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(CLIENTS)
    ]

    for client in clients:
        client.stdin.write(f"{request.encode().hex()}\n")
        client.stdin.flush()
    connected = [client.stdout.readline() for client in clients]
    for client in clients:
        client.stdin.write("\n")
        client.stdin.flush()
    statuses = [status for client in clients for status in client.communicate()[0].split()]

    assert connected == ["ready\n"] * CLIENTS
    assert server.environment["WORKERS"] == "2"
    assert sorted(statuses) == ["200"] + ["401"] * (CLIENTS * REPEATS_EACH - 1)
