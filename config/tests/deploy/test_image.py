"""What the container file puts into the image is all that the application needs."""

import re
import shutil
import subprocess
import sys

from config.tests import prepared

DEPLOY = prepared.ROOT / "deploy"
SCRAPE = """
import django
django.setup()
from django.core.management import call_command
from config.monitoring import database_metrics, metrics
call_command("check")
database_metrics.start()
print(next(iter(metrics.build_info.collect())).samples[0].labels["version"])
"""


def test_a_scrape_and_the_checks_need_no_file_that_the_image_lacks(tmp_path):
    ignored = [
        line.removeprefix("**/")
        for line in (DEPLOY / "Containerfile.dockerignore").read_text().splitlines()
        if line.startswith("**/")
    ]
    lines = (DEPLOY / "Containerfile").read_text().split("AS application")[0]
    for name in re.findall(r"^COPY (\S+) \S+$", lines, re.MULTILINE):
        source = prepared.ROOT / name
        if source.is_file():
            shutil.copy(source, tmp_path / name)
        else:
            shutil.copytree(
                source, tmp_path / name, ignore=shutil.ignore_patterns(*ignored)
            )
    assert "tests" in ignored

    finished = subprocess.run(
        [sys.executable, "-c", SCRAPE],
        cwd=tmp_path,
        env=prepared.clean_environment(
            DEMO="0",
            DJANGO_SETTINGS_MODULE="config.settings",
            SECRET_KEY="x" * 64,
            ENCRYPTION_KEYS="b25seS1mb3ItbWFrZS1jaGVjay0zMi1ieXRlcy1vayE=",
            PUBLIC_URL="https://calendar.example.org",
            DATABASE_URL=f"sqlite:///{tmp_path / 'db.sqlite3'}",
        ),
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.returncode == 0, finished.stderr
    assert re.fullmatch(r"\d+\.\d+\.\d+", finished.stdout.splitlines()[-1])
