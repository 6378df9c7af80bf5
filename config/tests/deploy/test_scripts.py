"""The scripts of ``deploy/``: what they write can be used, and stays."""

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
import yaml
from cryptography.fernet import Fernet

from config.tests import fresh, prepared
from config.tests.deploy.installation import DEPLOY

SYSTEMD = list((DEPLOY / "systemd").rglob("*"))
SHOWN = """
from config import settings
database = settings.DATABASES["default"]
host = database["OPTIONS"]["host"]
print(settings.PUBLIC_URL, host, database["NAME"], settings.IS_HTTPS)
"""
pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl")


def run(*words, **environment):
    subprocess.run(words, cwd=DEPLOY.parent, env={**os.environ, **environment}, check=True)


def files(directory):
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def settings_with(**variables):
    return fresh.python(SHOWN, **variables).stdout.split()


def test_what_is_installed_makes_a_server_and_stays_when_it_is_installed_again(tmp_path):
    run(DEPLOY / "install.sh", "calendar.example.edu", DESTDIR=str(tmp_path))
    first = files(tmp_path)
    run(DEPLOY / "install.sh", "another.example.edu", DESTDIR=str(tmp_path))

    environment = tmp_path / "etc/calendar/environment"
    lines = [
        line
        for line in environment.read_text().splitlines()
        if line and not line.startswith("#")
    ]
    shown = settings_with(**dict(line.split("=", 1) for line in lines))
    assert files(tmp_path) == first
    assert stat.S_IMODE(environment.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "etc/ssl/calendar").stat().st_mode) == 0o700
    assert shown == [
        *("https://calendar.example.edu", "/var/run/postgresql", "calendar", "True")
    ]
    assert b"server_name calendar.example.edu;" in first["etc/nginx/calendar/host.conf"]
    assert "etc/systemd/system/calendar.service.d/common.conf" in first
    assert (tmp_path / "opt/calendar").readlink() == prepared.ROOT


def test_what_is_installed_last_serves_there_and_back(tmp_path):
    root, link = tmp_path / "root", tmp_path / "root/opt/calendar"
    releases = [tmp_path / "calendar-1.0.0", tmp_path / "calendar-1.1.0"]
    for release in releases:
        shutil.copytree(DEPLOY, release / "deploy", symlinks=True)

    served = []
    for release in (*releases, releases[0]):
        run(release / "deploy/install.sh", "calendar.example.edu", DESTDIR=str(root))
        served.append(link.readlink())

    assert served == [*releases, releases[0]]
    # By way of the link it is the release that the link leads to.
    run(link / "deploy/install.sh", "calendar.example.edu", DESTDIR=str(root))
    assert link.readlink() == releases[0]


def test_installing_changes_neither_systemds_directory_nor_who_owns_units(tmp_path):
    release, units = tmp_path / "calendar-1.0.0", tmp_path / "root/etc/systemd/system"
    shutil.copytree(DEPLOY, release / "deploy", symlinks=True)
    units.mkdir(mode=0o711, parents=True)
    for path in (release / "deploy/systemd", *(release / "deploy/systemd").rglob("*")):
        if not path.is_symlink():
            path.chmod(0o700 if path.is_dir() else 0o640)
            if os.geteuid() == 0:  # else nobody can give a file away
                os.chown(path, 12345, 12345)

    run(
        release / "deploy/install.sh",
        "calendar.example.edu",
        DESTDIR=str(tmp_path / "root"),
    )

    shipped = {path.relative_to(DEPLOY / "systemd") for path in SYSTEMD if path.is_file()}
    written = [units / path for path in shipped]
    assert stat.S_IMODE(units.stat().st_mode) == 0o711
    assert {
        path.relative_to(units) for path in units.rglob("*") if path.is_file()
    } == shipped
    assert {stat.S_IMODE(path.stat().st_mode) for path in written} == {0o644}
    assert {path.lstat().st_uid for path in (units, *written)} == {os.geteuid()}
    shared = units / "calendar.service.d/common.conf"
    assert shared.readlink() == Path("../calendar-.service.d/common.conf")


def test_a_checkout_where_the_link_belongs_is_not_touched(tmp_path):
    (tmp_path / "opt/calendar").mkdir(parents=True)

    with pytest.raises(subprocess.CalledProcessError):
        run(DEPLOY / "install.sh", "calendar.example.edu", DESTDIR=str(tmp_path))

    assert files(tmp_path) == {}


def test_secrets_for_compose_belong_together_and_are_made_once(tmp_path):
    deploy, secrets = tmp_path / "deploy", tmp_path / "secrets"
    deploy.mkdir()
    for name in ("make_secrets.sh", "keys.sh"):
        shutil.copy(DEPLOY / name, deploy)

    run(deploy / "make_secrets.sh", secrets, "calendar.example.edu")
    first, settings = files(secrets), (deploy / ".env").read_text()
    run(deploy / "make_secrets.sh", secrets, "another.example.edu")

    compose = (DEPLOY / "compose.yaml").read_text()
    password = first["database_password"].decode().strip()
    assert files(secrets) == first
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o700
    assert set(first) == set(yaml.safe_load(compose)["secrets"])
    assert first["userlist"].decode() == f'"calendar" "{password}"\n'
    assert f":{password}@pgbouncer:6432/" in first["database_pool_url"].decode()
    assert f":{password}@postgresql:5432/" in first["database_url"].decode()
    assert len({first[name] for name in ("postgres_password", "database_password")}) == 2
    assert len(password) == len(first["secret_key"].strip()) == 64
    Fernet(first["encryption_keys"].strip())
    # Commands need no variable that is not there.
    assert (deploy / ".env").read_text() == settings
    assert settings == f"PUBLIC_HOST=calendar.example.edu\nSECRETS={secrets}\n"
    assert set(re.findall(r"\$\{(\w+):\?", compose)) == {"PUBLIC_HOST"}


@pytest.mark.skipif(
    not (prepared.ROOT / ".git").exists() or not shutil.which("git"),
    reason="needs git and a checkout",
)
@pytest.mark.parametrize("path", ["deploy/secrets/secret_key", "deploy/.env"])
def test_secrets_in_the_checkout_are_ignored_by_git(path):
    run("git", "check-ignore", "--quiet", path)


def test_a_command_is_run_with_the_code_of_its_own_release(tmp_path):
    release, link = tmp_path / "calendar-1.1.0", tmp_path / "calendar"
    shutil.copytree(DEPLOY, release / "deploy", symlinks=True)
    link.symlink_to(release)
    systemd = tmp_path / "systemd-run"
    systemd.write_text('#!/bin/sh\necho "$*"\n')
    systemd.chmod(0o755)

    called = subprocess.run(
        [link / "deploy/manage.sh", "migrate", "--plan"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "LOCK_TIMEOUT_SECONDS": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert called[-4:] == [
        *(f"{release}/.venv/bin/python", f"{release}/manage.py", "migrate", "--plan")
    ]
    assert "--setenv=LOCK_TIMEOUT_SECONDS=1" in called
