"""The tour of the README, pasted into a shell."""

import re
import subprocess
import threading

import httpx
import pytest

from config.tests import servers
from config.tests.people import Person
from config.tests.waiting import eventually

pytestmark = pytest.mark.processes

README = (servers.ROOT / "README.md").read_text(encoding="utf-8")


def tour() -> list[str]:
    """Return the shell blocks between the tour's heading and the next."""
    section = README.split("## A tour", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


def test_the_tour_works_when_pasted(server, tmp_path):
    """Run the blocks in one shell; a person opens the address that the second prints."""
    listener = servers.free_port()
    script = "\n".join(tour())
    script = script.replace("127.0.0.1:8000", server.url.removeprefix("http://"))
    script = script.replace("8765", str(listener))
    script = script.replace(".venv/bin/python manage.py", "python manage.py")
    output = tmp_path / "output"
    with output.open("wb") as sink:
        shell = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", f'python() {{ "$PYTHON" "$@"; }}\n{script}'],
            cwd=servers.ROOT,
            env={**server.environment, "PYTHON": servers.sys.executable},
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    address = wait_for(output, r"(http://\S+/auth/1001\?\S+)")

    with Person(server.url) as person:
        person.open(address)
        person.fill(username="alice", password="alice-demo-pass")
        person.fill("decision=allow")
        assert open_when_listening(person.left_for) == "Back to the terminal."
    shell.wait(60)

    shown = output.read_text()
    assert shell.returncode == 0, shown
    assert '"token_type": "bearer"' in shown.replace('":"', '": "')
    assert '"title":"Tea"' in shown.replace('": "', '":"')
    assert "<clientId>demo-hmac</clientId>" in shown


def wait_for(output, pattern):
    """Return what the pattern's group finds in a growing file."""
    return eventually(
        lambda: re.search(pattern, output.read_text()), output.read_text
    ).group(1)


def open_when_listening(url):
    """Open the redirect; the tour's listener may need a moment to start."""
    pause = threading.Event()
    for _ in range(100):
        try:
            return httpx.get(url, timeout=60).text
        except httpx.ConnectError:
            pause.wait(0.1)
    pytest.fail("The tour's listener did not start")


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#]+\.md)\)", README))))
def test_every_document_that_the_readme_links_is_there(link):
    assert (servers.ROOT / link).is_file()


def test_every_place_that_the_readme_names_is_there():
    table = README.split("## Where things live", 1)[1].split("\n## ", 1)[0]

    named = re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)

    assert named
    assert [place for place in named if not (servers.ROOT / place).exists()] == []
