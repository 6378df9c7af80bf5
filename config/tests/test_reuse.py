"""Each app in a project that has none of the others: docs/reuse.md, run.

The wheel of the app is built and installed with what it asks for and nothing else, for
each version of Python and Django that it names. A project sees nothing else of this
checkout.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement

from config.tests.servers import ROOT
from platform_errors.tests.documents_of import code_block, docs

GUIDE = docs("reuse.md")
DISTRIBUTION = "institution-calendar"
PINNED = (ROOT / "requirements.txt").read_text()
APPS = ("authserver", "calendar_events", "institution_admin", "platform_errors")
VERSIONS = [
    (python, django)
    for python in ("3.11", "3.12", "3.13")
    for django in ("5.2", "6.0")
    if (python, django) != ("3.11", "6.0")  # Django 6.0 needs Python 3.12
]

SIGNED = """
from django.test import Client
from platform_errors.conf import conf
from platform_errors.signing import algorithm
from dataclasses import replace
import time

unsigned = algorithm.SignedHeader(
    client_id="partner", timestamp=str(int(time.time())), nonce="once", signature="",
    principal_id="", principal_namespace="",
)
message = algorithm.string_to_sign(
    unsigned, method="GET", target=algorithm.signature_target(conf.hmac_signature_url),
    query_lines="",
)
secret = b"replace me: a long random text"
header = algorithm.build_header(
    replace(unsigned, signature=algorithm.sign(message, secret)),
    scheme=conf.hmac_scheme_url,
)
call = Client().get
say("clientId", call("/example/identity/v1", HTTP_AUTHORIZATION=header,
                     HTTP_ACCEPT="application/json").json()["clientId"])
say("again", call("/example/identity/v1", HTTP_AUTHORIZATION=header).status_code)
"""
AUTHORIZATION = """
from visitor import Visitor
from urllib.parse import urlencode
from django.contrib.staticfiles import finders
import base64, hashlib

exec(open("shell.py").read())
verifier = "v" * 64
challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode()
someone = Visitor()
someone.open("/oauth2/auth/1001?" + urlencode({
    "client_id": "loans-app", "redirect_uri": "https://app.example/callback",
    "response_type": "code", "scope": "loans", "state": "xyz",
    "code_challenge": challenge.rstrip("="), "code_challenge_method": "S256",
}))
say("first page", someone.heading)
someone.press("Sign in", username="alice", password="alice's own password")
say("second page", someone.heading)
someone.press("Allow")
code = someone.answer["code"]
answer = someone.client.post("/oauth2/token", urlencode({
    "grant_type": "authorization_code", "code": code, "client_id": "loans-app",
    "redirect_uri": "https://app.example/callback", "code_verifier": verifier,
}), content_type="application/x-www-form-urlencoded")
say("token", [answer.status_code, sorted(answer.json())[:2]])
say("metadata", someone.client.get(
    "/.well-known/oauth-authorization-server").json()["issuer"])
say("admin", someone.client.get("/admin/login/").status_code)
say("styles", bool(finders.find("authserver/pages.css")))
"""
CALENDAR = """
from django.contrib.auth.models import Group, User
from django.test import Client

dora = User.objects.create_user("dora")
dora.groups.add(Group.objects.get(name="editor"))
User.objects.create_user("eve")
client = Client()
root = "/platform/events/v1"
event = {"title": "Reading", "start_date": "2030-05-01 10:00:00",
         "end_date": "2030-05-01 11:00:00", "status": "publish"}
for token in ("tk_eve", "tk_dora"):
    made = client.post(f"{root}/events", event, content_type="application/json",
                       HTTP_AUTHORIZATION=f"Bearer {token}")
    say(token, made.status_code)
found = client.get(f"{root}/events?start_date=2030-01-01&end_date=2031-01-01").json()
say("listed", [found["total"], found["events"][0]["title"]])
say("doc", client.get(f"{root}/doc", HTTP_ACCEPT="application/json").status_code)
say("feed", client.get(f"{root}/events.ics").status_code)
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """Return a directory with the wheels as ``make wheels`` builds them."""
    target = tmp_path_factory.mktemp("wheels")
    for app in APPS:
        uv(
            "build",
            "--wheel",
            "--no-build-isolation",
            "--out-dir",
            str(target),
            str(ROOT / app),
        )
    return target


@pytest.fixture(scope="module", params=VERSIONS, ids="-".join)
def install(request, wheels, tmp_path_factory):
    """Return a function that installs a wheel and returns the interpreter."""
    python, django = request.param
    if run_command("uv", "python", "find", python).returncode:
        pytest.skip(f"Python {python} is not installed")

    @functools.cache
    def environment(app):
        path = tmp_path_factory.mktemp(app) / "venv"
        interpreter = path / "bin" / "python"
        uv("venv", "--python", python, str(path))
        uv(
            *("pip", "install", "--python", str(interpreter), "--find-links", str(wheels)),
            *(
                f"{DISTRIBUTION}-{app}",
                f"Django~={django}.0",
                "lxml",
            ),  # our visitor reads pages with lxml
        )
        return interpreter

    return environment


def uv(*arguments):
    finished = run_command("uv", *arguments)
    assert finished.returncode == 0, finished.stdout + finished.stderr


def run_command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "UV_PYTHON_DOWNLOADS": "never"},
    )


@pytest.fixture
def project(install, tmp_path):
    """Return a function that runs a script in a project of these files."""

    def build(app, files, script, before=()):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        (tmp_path / "script.py").write_text(
            "import json, sys\nimport django\ndjango.setup()\n"
            "from django.core.management import call_command\n"
            "call_command('check', fail_level='WARNING', verbosity=0)\n"
            "call_command('migrate', verbosity=0)\n"
            "said = {}\ndef say(name, value): said[name] = value\n"
            f"{script}\n"
            "print(json.dumps(said))\n"
        )
        for arguments in (*before, ("script",)):
            finished = subprocess.run(
                [install(app), "-m", *arguments],
                capture_output=True,
                text=True,
                check=False,
                cwd=tmp_path,
                env={"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "settings"},
            )
            assert finished.returncode == 0, finished.stdout + finished.stderr
        return json.loads(finished.stdout.splitlines()[-1])

    return build


@pytest.mark.nightly
def test_a_key_store_of_fifteen_lines_is_enough_for_signed_requests(project):
    guide = docs("platform_errors.md")
    files = {
        "settings.py": code_block(guide, "python settings").replace(
            "myproject.keys.Store", "keys.Store"
        ),
        "guide_urls.py": code_block(guide, "python urls"),
        "guide_views.py": code_block(guide, "python views"),
        "keys.py": code_block(GUIDE, "python keystore"),
    }

    said = project("errors", files, SIGNED)

    assert said == {"clientId": "partner", "again": 401}


@pytest.mark.nightly
def test_a_whole_authorization_in_another_project(project, tmp_path):
    shutil.copy(ROOT / "authserver" / "tests" / "visitor.py", tmp_path)
    files = {
        "settings.py": code_block(GUIDE, "python authserver-settings"),
        "urls.py": code_block(GUIDE, "python authserver-urls"),
        "shell.py": code_block(GUIDE, "python authserver-shell"),
    }

    said = project("authserver", files, AUTHORIZATION)

    assert said == {
        "first page": "Sign in",
        "second page": "Allow Loans to act for you?",
        "token": [200, ["access_token", "contextInstitutionId"]],
        "metadata": "https://login.example.org",
        "admin": 200,
        "styles": True,
    }


@pytest.mark.nightly
def test_the_calendar_with_another_project_s_users_and_keys(project):
    files = {
        "settings.py": code_block(GUIDE, "python calendar-settings"),
        "urls.py": code_block(GUIDE, "python calendar-urls"),
        "keys.py": code_block(GUIDE, "python calendar-keys"),
    }

    said = project("events", files, CALENDAR)

    assert said == {
        "tk_eve": 403,
        "tk_dora": 201,
        "listed": [1, "Reading"],
        "doc": 200,
        "feed": 200,
    }


@pytest.mark.nightly
def test_the_calendar_with_a_user_model_of_another_name(project, tmp_path):
    """Its tables of groups and permissions have a column ``person_id``."""
    people = tmp_path / "people"
    people.mkdir()
    (people / "__init__.py").touch()
    (people / "models.py").write_text(
        "from django.contrib.auth.models import AbstractUser\n\n\n"
        "class Person(AbstractUser):\n    pass\n"
    )
    files = {
        "settings.py": code_block(GUIDE, "python calendar-settings")
        + '\nINSTALLED_APPS += ["people"]\nAUTH_USER_MODEL = "people.Person"\n'
        + 'DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"\n',
        "urls.py": code_block(GUIDE, "python calendar-urls"),
        "keys.py": code_block(GUIDE, "python calendar-keys"),
    }
    said = project(
        "events",
        files,
        CALENDAR.replace(
            "from django.contrib.auth.models import Group, User",
            "from django.contrib.auth.models import Group\n"
            "from people.models import Person as User",
        ),
        before=[("django", "makemigrations", "people")],
    )

    assert (said["tk_eve"], said["tk_dora"], said["listed"]) == (403, 201, [1, "Reading"])


def test_the_guide_s_settings_are_for_https_and_name_a_time_zone():
    found = {}
    for name in ("authserver-settings", "calendar-settings"):
        text = code_block(GUIDE, f"python {name}")
        exec(text, {"__file__": __file__}, found)  # noqa: S102 -- our own page

    assert found["SESSION_COOKIE_SECURE"]
    assert found["CSRF_COOKIE_SECURE"]
    assert found["TIME_ZONE"]


@pytest.mark.parametrize("app", APPS)
def test_a_wheel_asks_for_what_this_project_runs_with(app):
    described = tomllib.loads((ROOT / app / "pyproject.toml").read_text())["project"]
    extras = described.get("optional-dependencies", {}).values()
    lines = [line for group in (described["dependencies"], *extras) for line in group]
    asked = {one.name: one.specifier for one in map(Requirement, lines)}
    pinned = dict(re.findall(r"^([A-Za-z0-9-]+)(?:\[.*?\])?==(\S+)", PINNED, re.MULTILINE))

    ours = {f"{DISTRIBUTION}-admin", f"{DISTRIBUTION}-errors"}
    for name, specifier in asked.items():
        expected = described["version"] if name in ours else pinned[name.lower()]
        assert specifier.contains(expected), name


def test_the_application_and_its_wheels_have_one_version():
    files = [ROOT / "pyproject.toml", *(ROOT / app / "pyproject.toml" for app in APPS)]

    assert (
        len({tomllib.loads(file.read_text())["project"]["version"] for file in files}) == 1
    )
