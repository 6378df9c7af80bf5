"""Each app in a project that has none of the others: docs/reuse.md, run.

The package is built and installed as ``pip`` does it, into a directory of its own, which is
all that the projects see of this checkout.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

from config.tests.servers import ROOT
from platform_errors.tests.documents_of import code_block, docs

pytestmark = pytest.mark.nightly

GUIDE = docs("reuse.md")
OF_THE_PACKAGE = ("authserver", "calendar_events", "institution_admin", "platform_errors")

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
def package(tmp_path_factory):
    """Return a directory with the package as ``pip install`` leaves it."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in OF_THE_PACKAGE:
        shutil.copytree(
            ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    run(
        *("pip", "install", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--disable-pip-version-check", "--no-compile", "--target", str(target)),
        str(source),
    )
    return target


def run(module, *arguments, **options):
    finished = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.fixture
def project(package, tmp_path):
    """Return a function that runs a script in a project of these files."""

    def build(files, script):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        (tmp_path / "script.py").write_text(
            "import json, sys\nimport django\ndjango.setup()\n"
            "from django.core.management import call_command\n"
            "call_command('check', fail_level='WARNING', verbosity=0)\n"
            "call_command('migrate', verbosity=0)\n"
            "said = {}\ndef say(name, value): said[name] = value\n"
            f"{script}\n"
            "said['modules'] = sorted({name.partition('.')[0] for name in sys.modules})\n"
            "said['files'] = sorted({getattr(sys.modules[name], '__file__', None) or ''\n"
            f"    for name in {OF_THE_PACKAGE} if name in sys.modules}})\n"
            "print(json.dumps(said))\n"
        )
        output = run(
            "script",
            cwd=tmp_path,
            env={
                "PATH": os.environ["PATH"],
                "DJANGO_SETTINGS_MODULE": "settings",
                "PYTHONPATH": f"{tmp_path}:{package}",
            },
        )
        said = json.loads(output.splitlines()[-1])
        assert all(name.startswith(str(package)) for name in said.pop("files"))
        return said, set(said.pop("modules"))

    return build


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

    said, modules = project(files, SIGNED)

    assert said == {"clientId": "partner", "again": 401}
    others = {"authserver", "calendar_events", "config", "institution_admin"}
    assert not {"drf_spectacular", *others} & modules


def test_a_whole_authorization_in_another_project(project, tmp_path):
    shutil.copy(ROOT / "authserver" / "tests" / "visitor.py", tmp_path)
    files = {
        "settings.py": code_block(GUIDE, "python authserver-settings"),
        "urls.py": code_block(GUIDE, "python authserver-urls"),
        "shell.py": code_block(GUIDE, "python authserver-shell"),
    }

    said, modules = project(files, AUTHORIZATION)

    assert said == {
        "first page": "Sign in",
        "second page": "Allow Loans to act for you?",
        "token": [200, ["access_token", "contextInstitutionId"]],
        "metadata": "https://login.example.org",
        "admin": 200,
        "styles": True,
    }
    assert not {"calendar_events", "config"} & modules


def test_the_calendar_with_another_project_s_users_and_keys(project):
    files = {
        "settings.py": code_block(GUIDE, "python calendar-settings"),
        "urls.py": code_block(GUIDE, "python calendar-urls"),
        "keys.py": code_block(GUIDE, "python calendar-keys"),
    }

    said, modules = project(files, CALENDAR)

    assert said == {
        "tk_eve": 403,
        "tk_dora": 201,
        "listed": [1, "Reading"],
        "doc": 200,
        "feed": 200,
    }
    assert not {"authserver", "config", "oauth2_provider"} & modules


def test_the_calendar_with_a_user_model_of_another_name(project, package, tmp_path):
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
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    settings = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "settings"}
    run(
        *("django", "makemigrations", "people"),
        cwd=tmp_path,
        env={**settings, "PYTHONPATH": f"{tmp_path}:{package}"},
    )

    said, _ = project(
        files,
        CALENDAR.replace(
            "from django.contrib.auth.models import Group, User",
            "from django.contrib.auth.models import Group\n"
            "from people.models import Person as User",
        ),
    )

    assert (said["tk_eve"], said["tk_dora"], said["listed"]) == (403, 201, [1, "Reading"])


def test_the_package_asks_for_what_this_project_runs_with():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "requirements.in").read_text().splitlines()
    ours = {re.split(r"[~=\[]", line)[0].lower(): line for line in lines}

    extras = project["optional-dependencies"].values()
    asked = {line for group in (project["dependencies"], *extras) for line in group}

    assert asked == {ours[re.split(r"[~=\[]", line)[0].lower()] for line in asked}
