"""``make run`` from outside: starts, answers, stops cleanly, says what is wrong."""

import fcntl
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from django.core.management import CommandError
from django.db import connection

from config.management.commands import serve
from config.monitoring import exporter
from config.tests import prepared, servers

pytestmark = pytest.mark.processes

PRODUCTION = {
    "PUBLIC_URL": "https://platform.example",
    "SECRET_KEY": "x" * 64,
    "ENCRYPTION_KEYS": "dGVzdC1vbmx5LWtleS1vZi0zMi1ieXRlcy1sb25nISE=",
}
SHOW_LIMITS = """
from django.db import connection
names = ["statement_timeout", "idle_in_transaction_session_timeout", "lock_timeout"]
asked = [f"SHOW {name}" for name in names]
with connection.cursor() as cursor:
    for one in asked if connection.vendor == "postgresql" else ["PRAGMA busy_timeout"]:
        cursor.execute(one)
        print(cursor.fetchone()[0])
"""
NOT_COLLECTED = """
from config.wsgi import application
from django.test import Client
response = Client(headers={"Host": "platform.example"}).get("/nothing", secure=True)
print(response.status_code, response.content.decode().split("<h1>")[1].split("</h1>")[0])
"""


def test_a_taken_port_is_said_clearly(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        finished = subprocess.run(
            [sys.executable, "manage.py", "serve"],
            cwd=servers.ROOT,
            env=prepared.clean_environment(
                PORT=str(port), DATABASE_URL=f"sqlite:///{tmp_path / 'unused.sqlite3'}"
            ),
            capture_output=True,
            text=True,
            check=False,
        )

    assert finished.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{port}" in finished.stderr
    assert "make run PORT=8001" in finished.stderr
    assert not (tmp_path / "unused.sqlite3").exists()


def test_servers_that_start_together_collect_static_files_one_after_the_other(tmp_path):
    directory = tmp_path / "made" / "static"

    with serve.exclusive_lock(directory):
        other = os.open(directory, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)

    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(other)


def test_seeding_a_server_that_is_no_demonstration_is_refused(tmp_path):
    environment = prepared.clean_environment(
        DEMO="0",
        PUBLIC_URL="https://platform.example",
        SECRET_KEY="x" * 64,
        ENCRYPTION_KEYS="dGVzdC1vbmx5LWtleS1vZi0zMi1ieXRlcy1sb25nISE=",
        DATABASE_URL=f"sqlite:///{tmp_path / 'empty.sqlite3'}",
    )

    finished = subprocess.run(
        [sys.executable, "manage.py", "seed_demo"],
        cwd=servers.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.returncode == 1
    assert "Set DEMO=1, or pass --force" in finished.stderr


def test_the_front_page_leads_to_every_door(server):
    page = server.http.get("/")

    assert page.status_code == 200
    for door in ("/demo/", "/platform/events/v1/events", "/oauth2/access", "/admin/"):
        assert f'href="{door}"' in page.text


def test_static_files_carry_the_request_identifier_too(server):
    page = server.http.get("/")
    style = page.text.split('rel="stylesheet" href="')[1].split('"')[0]

    response = server.http.get(style)

    assert response.status_code == 200
    assert response.headers["x-svc-RequestId"]


def test_the_compatible_addresses_serve_the_same_house(compatible_server):
    root = "/wp-json/tribe/events/v1"

    events = compatible_server.http.get(f"{root}/events?per_page=1")
    neutral = compatible_server.http.get("/platform/events/v1/events")

    assert events.status_code == 200
    assert events.json()["events"][0]["rest_url"].startswith(
        f"{compatible_server.url}{root}/"
    )
    assert events.headers["X-OCLC-RequestId"]
    assert neutral.status_code == httpx.codes.NOT_FOUND


@pytest.mark.parametrize(
    ("family", "address", "host"),
    [(socket.AF_INET, "127.0.0.1", "127.0.0.1"), (socket.AF_INET6, "::1", "[::1]")],
)
def test_a_taken_port_is_noticed_on_either_internet_protocol(family, address, host):
    with socket.socket(family) as taken:
        taken.bind((address, 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(CommandError, match=f"Cannot listen on .*:{port}"):
            serve.require_free_port(host, port)
    serve.require_free_port(host, port)


def test_a_taken_port_of_the_metrics_is_noticed_too(settings):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        settings.PORT, settings.METRICS_PORT = servers.free_port(), taken.getsockname()[1]

        with pytest.raises(CommandError, match=f":{settings.METRICS_PORT}"):
            serve.require_free_ports()


def test_a_directory_of_counts_that_serve_did_not_make_is_not_passed_on(
    settings, monkeypatch, tmp_path
):
    monkeypatch.setenv(exporter.VARIABLE, str(tmp_path))

    settings.METRICS_PORT = 0
    without = serve.server_environment()
    settings.METRICS_PORT = 9464
    with_metrics = serve.server_environment()

    assert exporter.VARIABLE not in without
    made = Path(with_metrics[exporter.VARIABLE])
    made.rmdir()
    assert made != tmp_path


def test_threads_share_two_arenas_unless_the_environment_says_otherwise(monkeypatch):
    monkeypatch.delenv("MALLOC_ARENA_MAX", raising=False)
    assert serve.server_environment()["MALLOC_ARENA_MAX"] == "2"

    monkeypatch.setenv("MALLOC_ARENA_MAX", "8")
    assert serve.server_environment()["MALLOC_ARENA_MAX"] == "8"


def test_the_banner_leads_to_every_door(settings):
    settings.PUBLIC_URL = "http://127.0.0.1:8123"

    shown = serve.Command().banner()

    assert "http://127.0.0.1:8123/platform/events/v1/doc/swagger" in shown
    assert "http://127.0.0.1:8123/admin/" in shown


@pytest.mark.django_db(transaction=True)
def test_servers_that_start_together_migrate_one_after_the_other():
    second = connection.copy()
    entered = threading.Event()

    def start():
        with serve.alone_with(second):
            entered.set()

    with serve.alone_with(connection):
        other = threading.Thread(target=start)
        other.start()
        assert not entered.wait(0.5)
    assert entered.wait(30)
    other.join()


def test_a_management_command_takes_the_time_it_needs(tmp_path):
    with servers.database(tmp_path) as url:
        finished = subprocess.run(
            [sys.executable, "manage.py", "shell", "--no-imports", "-c", SHOW_LIMITS],
            cwd=servers.ROOT,
            env=prepared.clean_environment(DATABASE_URL=url, DEMO="0", **PRODUCTION),
            capture_output=True,
            text=True,
            check=True,
        )

    assert finished.stdout.split() in (["0", "0", "5s"], ["5000"])


def test_a_page_that_does_not_exist_is_404_although_nothing_was_collected(tmp_path):
    finished = subprocess.run(
        [sys.executable, "-c", NOT_COLLECTED],
        cwd=servers.ROOT,
        env=prepared.clean_environment(
            DATABASE_URL=f"sqlite:///{tmp_path / 'empty.sqlite3'}",
            STATIC_ROOT=str(tmp_path / "nothing"),
            DEMO="0",
            **PRODUCTION,
        ),
        capture_output=True,
        text=True,
        check=True,
    )

    assert finished.stdout.strip() == "404 There is no such page"
    assert finished.stderr.count("run manage.py collectstatic") == 1
