"""docs/webhooks.md: its receivers take what we sign, and nothing else."""

import contextlib
import re
import shutil
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from standardwebhooks import Webhook

from calendar_events.webhooks.signing import new_secret
from config.tests.servers import ROOT
from config.tests.waiting import PATIENCE_SECONDS, eventually
from config.tools.with_postgres import free_port

pytestmark = pytest.mark.processes

PAGE = (ROOT / "docs" / "webhooks.md").read_text(encoding="utf-8")
RUNNERS = {
    "python": ([sys.executable, "-W", "ignore"], ".py"),
    "javascript": ([shutil.which("node")], ".mjs"),
}
BODY = '{"type":"event.updated","data":{"id":12}}'


@contextlib.contextmanager
def receiver(language, directory, secret):
    """Yield the address of the page's receiver, and what it prints."""
    runner, suffix = RUNNERS[language]
    if runner[0] is None:
        pytest.skip(f"{language} is not installed")
    program = directory / f"receiver{suffix}"
    program.write_text(re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[1])
    port = free_port()
    printed = directory / "printed"
    with printed.open("w") as lines:
        process = subprocess.Popen(
            [*runner, program],
            stdout=lines,
            stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "WEBHOOK_SECRET": secret, "PORT": str(port)},
        )
    try:
        eventually(lambda: listens(port))
        yield f"http://127.0.0.1:{port}/", printed
    finally:
        process.kill()
        process.wait()


def listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def signed(secret, *, at, body=BODY):
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": f"v1,AAAA {Webhook(secret).sign('msg_1', at, body)}",
    }


@pytest.mark.parametrize("language", RUNNERS)
def test_a_receiver_of_the_page_takes_what_is_signed_and_nothing_else(language, tmp_path):
    secret, now = new_secret(), datetime.now(UTC)
    genuine = signed(secret, at=now)
    forged = [
        (BODY, {}),
        (BODY, signed(new_secret(), at=now)),
        (BODY, signed(secret, at=now - timedelta(minutes=10))),
        (BODY, {**genuine, "webhook-id": "msg_2"}),
        (BODY.replace("12", "13"), genuine),
    ]
    with (
        receiver(language, tmp_path, secret) as (url, printed),
        httpx.Client(timeout=PATIENCE_SECONDS) as http,
    ):
        refused = [
            http.post(url, content=body, headers=headers).status_code
            for body, headers in forged
        ]
        taken = [http.post(url, content=BODY, headers=genuine) for _ in range(2)]
        eventually(printed.read_text)

    assert refused == [400] * len(forged)
    assert [answer.status_code for answer in taken] == [204, 204]
    assert printed.read_text() == "event.updated\n"  # the second one is no news
