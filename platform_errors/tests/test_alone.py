"""The app works in a project that has none of the others: docs/platform_errors.md, run."""

import re
import subprocess
import sys
from pathlib import Path

from platform_errors import checks
from platform_errors.conf import conf
from platform_errors.tests.documents_of import code_block, docs, table

DOC = docs("platform_errors.md")
CALL = """
import sys
import django
from django.core.management import call_command

django.setup()
call_command("check", fail_level="WARNING", verbosity=0)
call_command("migrate", verbosity=0)

from platform_errors.tests.clients import Api, authorization
from platform_errors.tests.factories import make_key

make_key()
api = Api()
signed = api.signed("GET", "/example/identity/v1", accept="application/json").json()
anonymous = api.call("GET", "/example/things", accept="application/json").json()
print(signed["clientId"], anonymous["code"], anonymous["message"], sep="|")
others = {"authserver", "calendar_events", "config", "institution_admin"}
print(sorted({*others, "tqdm"} & set(sys.modules)))
"""


def test_the_guide_s_project_runs_without_the_other_apps(tmp_path):
    (tmp_path / "guide_settings.py").write_text(
        code_block(DOC, "python settings").replace(
            "myproject.keys.Store", "platform_errors.tests.store.MemoryKeyStore"
        )
    )
    (tmp_path / "guide_urls.py").write_text(code_block(DOC, "python urls"))
    (tmp_path / "guide_views.py").write_text(code_block(DOC, "python views"))

    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", CALL],
        env={
            "DJANGO_SETTINGS_MODULE": "guide_settings",
            "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.stdout.splitlines()[-2:] == [
        "key|401|Authorization header is missing",
        "[]",
    ], finished.stderr


def test_every_setting_is_documented():
    documented = [row[0].strip("`") for row in table(DOC, "setting")]

    assert documented == list(conf.defaults())


def test_every_check_is_documented():
    documented = {row[0].strip("`") for row in table(DOC, "check")}
    source = Path(checks.__file__).read_text()

    assert documented == set(re.findall(r'id="(platform_errors\.[EW]\d+)"', source))
