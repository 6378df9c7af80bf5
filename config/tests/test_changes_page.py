"""docs/changes.md: a copy that its programs keep equals the server."""

import contextlib
import json
import random
import re
import shutil
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from config.tests import servers
from config.tests.people import Person, Pkce, authorization_address, code_exchange

pytestmark = pytest.mark.processes

PAGE = (servers.ROOT / "docs" / "changes.md").read_text(encoding="utf-8")
RUNNERS = {
    "python": ([sys.executable], ".py"),
    "javascript": ([shutil.which("node")], ".mjs"),
}
LISTS = ("events", "venues", "organizers", "categories", "tags")
WRITES = 1_000
LONGEST_SECONDS = 240


@pytest.fixture
def writer(own_server):
    with contextlib.closing(Writer(own_server)) as writer:
        yield writer


@pytest.fixture(scope="module")
def own_server(tmp_path_factory):
    """Return a server whose calendar may be turned upside down."""
    with servers.demo_server(tmp_path_factory.mktemp("changes"), WORKERS="2") as running:
        yield running


class Writer:
    """Alice, who writes whatever comes to her mind."""

    def __init__(self, server):
        pkce = Pkce()
        with Person(server.url) as person:
            person.open(authorization_address(server, pkce, institution="1001"))
            person.fill(username="alice", password="alice-demo-pass")
            person.fill("decision=allow")
            code = person.answer["code"]
        redeemed = server.http.post(
            f"{server.auth_url}/token", data=code_exchange(code, pkce)
        )
        token = redeemed.json()["access_token"]
        self.http = httpx.Client(
            base_url=server.events_root,
            headers={"Authorization": f"Bearer {token}"},
            timeout=240,
        )
        self.chance = random.Random(26)
        self.known = {name: [] for name in LISTS}

    def close(self):
        self.http.close()

    def send(self, method, path, body=None):
        """Send a write; what the calendar refuses, as it should, is no change."""
        answer = self.http.request(method, path, json=body)
        assert answer.status_code < 500, answer.text
        return answer.json() if answer.is_success else {}

    def create(self, name, body):
        created = self.send("POST", f"/{name}", body)
        self.known[name] += [created["id"]] if created else []

    def one_of(self, name):
        return self.chance.choice(self.known[name] or [0])

    def links(self):
        names = {"venue": "venues", "organizer": "organizers"}
        names |= {"categories": "categories", "tags": "tags"}
        chosen = {field: self.one_of(name) for field, name in names.items()}
        return {field: [pk] if pk else [] for field, pk in chosen.items()}

    def word(self):
        return f"Random {self.chance.randrange(10**9)}"


def create_event(writer):
    day = 1 + writer.chance.randrange(28)
    body = {
        "title": writer.word(),
        "start_date": f"2031-05-{day:02} 18:00:00",
        "end_date": f"2031-05-{day:02} 20:00:00",
        "status": writer.chance.choice(["publish", "publish", "draft"]),
        **writer.links(),
    }
    writer.create("events", body)


def create_another(writer):
    name = writer.chance.choice(LISTS[1:])
    title = {"venues": "venue", "organizers": "organizer"}.get(name, "name")
    writer.create(name, {title: writer.word()})


def rename_anything(writer):
    name = writer.chance.choice(LISTS)
    fields = {"events": "title", "venues": "venue", "organizers": "organizer"}
    body = {fields.get(name, "name"): writer.word()}
    writer.send("PATCH", f"/{name}/{writer.one_of(name)}", body)


def link_otherwise(writer):
    writer.send("PATCH", f"/events/{writer.one_of('events')}", writer.links())


def show_otherwise(writer):
    name = writer.chance.choice(LISTS[:3])
    status = writer.chance.choice(["publish", "draft", "private", "pending"])
    writer.send("PATCH", f"/{name}/{writer.one_of(name)}", {"status": status})


def hide_or_show(writer):
    body = {"hide_from_listings": writer.chance.random() < 0.5}
    writer.send("PATCH", f"/events/{writer.one_of('events')}", body)


def publish_soon(writer):
    """Let time publish a record a little later, while others are written."""
    name = writer.chance.choice(LISTS[:3])
    soon = datetime.now(UTC) + timedelta(seconds=writer.chance.randrange(2, 9))
    body = {"status": "publish", "date": f"{soon:%Y-%m-%d %H:%M:%S}+00:00"}
    writer.send("PATCH", f"/{name}/{writer.one_of(name)}", body)


def trash(writer):
    name = writer.chance.choice(LISTS[:3])
    writer.send("DELETE", f"/{name}/{writer.one_of(name)}")


def delete_for_good(writer):
    name = writer.chance.choice(LISTS)
    pk = writer.one_of(name)
    if writer.send("DELETE", f"/{name}/{pk}?force=true"):
        writer.known[name].remove(pk)


def cancel_or_not(writer):
    became = writer.chance.choice(["scheduled", "cancelled", "postponed", "moved_online"])
    body = {"event_status": became, "status_reason": writer.word()}
    writer.send("PATCH", f"/events/{writer.one_of('events')}", body)


def show_an_address_soon(writer):
    """Let time show where an event is online, while others are written."""
    soon = datetime.now(UTC) + timedelta(seconds=writer.chance.randrange(2, 9))
    body = {
        "online_address": "https://meet.example/",
        "online_audience": writer.chance.choice(["everybody", "institution"]),
        "online_from_utc": f"{soon:%Y-%m-%d %H:%M:%S}",
    }
    writer.send("PATCH", f"/events/{writer.one_of('events')}", body)


def create_series(writer):
    body = {
        "title": writer.word(),
        "start_date": "2031-06-02 18:00:00",
        "end_date": "2031-06-02 20:00:00",
        "rrule": "FREQ=WEEKLY;COUNT=4",
        **writer.links(),
    }
    writer.create("events", body)


def edit_series(writer):
    scope = writer.chance.choice(["this", "following", "all"])
    body = writer.chance.choice(
        [{"title": writer.word()}, writer.links(), {"start_date": "2031-06-09 17:00:00"}]
    )
    writer.send("PATCH", f"/events/{writer.one_of('events')}?scope={scope}", body)


def delete_of_series(writer):
    scope = writer.chance.choice(["following", "all"])
    force = writer.chance.choice(["", "&force=true"])
    writer.send("DELETE", f"/events/{writer.one_of('events')}?scope={scope}{force}")


KINDS_OF_WRITES = {
    create_event: 4,
    create_another: 3,
    rename_anything: 4,
    link_otherwise: 3,
    show_otherwise: 3,
    hide_or_show: 1,
    publish_soon: 2,
    trash: 1,
    delete_for_good: 1,
    cancel_or_not: 1,
    show_an_address_soon: 1,
    create_series: 1,
    edit_series: 2,
    delete_of_series: 1,
}
"""What is written, and how often; whatever adds a way of writing adds it here."""


def listed(server):
    """Return everything that anybody sees, by the names of the copies."""
    records = {}
    with httpx.Client(timeout=240) as anybody:
        for name in LISTS:
            address = (
                f"{server.events_root}/{name}"
                "?per_page=50&starts_after=1900-01-01&hide_empty=false"
            )
            while address:
                page = anybody.get(address).json()
                records |= {f"{name}/{one['id']}": one for one in page[name]}
                address = page.get("next_rest_url")
    return without_counts(records)


def without_counts(value):
    """Leave out the numbers of events, which the page does not promise."""
    if isinstance(value, dict):
        return {name: without_counts(one) for name, one in value.items() if name != "count"}
    return [without_counts(one) for one in value] if isinstance(value, list) else value


def copied(directory):
    with contextlib.suppress(FileNotFoundError):
        return without_counts(json.loads((directory / "copy.json").read_text())["records"])
    return None


@contextlib.contextmanager
def keeping(server, language, directory):
    runner, suffix = RUNNERS[language]
    block = re.search(rf"    ```{language}\n(.*?)    ```", PAGE, re.DOTALL)
    program = directory / f"program{suffix}"
    text = textwrap.dedent(block[1]).replace("http://127.0.0.1:8000", server.url)
    program.write_text(text, encoding="utf-8")
    with (directory / "errors").open("w") as errors:
        process = subprocess.Popen(
            [*runner, program], cwd=directory, stdout=errors, stderr=errors
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def wait_for(condition, *processes):
    deadline = time.monotonic() + LONGEST_SECONDS
    while not condition():
        assert all(process.poll() is None for process in processes)
        assert time.monotonic() < deadline
        time.sleep(0.5)


def test_copies_equal_the_server_after_a_thousand_random_writes(
    own_server, writer, tmp_path
):
    """The programs of all languages keep their copies beside each other."""
    copies = {name: tmp_path / name for name, (runner, _) in RUNNERS.items() if runner[0]}
    for directory in copies.values():
        directory.mkdir()

    def write_at_random(ways):
        for write in ways:
            write(writer)

    def all_are_equal():
        there = listed(own_server)
        return all(copied(directory) == there for directory in copies.values())

    with all_kept(own_server, copies) as processes:
        wait_for(lambda: None not in map(copied, copies.values()), *processes)
        before = {name: copied(directory).keys() for name, directory in copies.items()}
        weights = list(KINDS_OF_WRITES.values())
        write_at_random(
            writer.chance.choices(list(KINDS_OF_WRITES), weights, k=WRITES // 2)
        )
    # They were ended, and go on where that was.
    write_at_random(writer.chance.choices(list(KINDS_OF_WRITES), k=WRITES // 2))
    with all_kept(own_server, copies) as processes:
        wait_for(all_are_equal, *processes)

    for name, directory in copies.items():
        assert len(copied(directory).keys() - before[name]) > WRITES / 20
    if len(copies) < len(RUNNERS):
        pytest.skip(f"only {', '.join(copies)} is installed; its copy is equal")


@contextlib.contextmanager
def all_kept(server, copies):
    """Run the program of each language in its directory."""
    with contextlib.ExitStack() as running:
        yield [
            running.enter_context(keeping(server, language, directory))
            for language, directory in copies.items()
        ]
