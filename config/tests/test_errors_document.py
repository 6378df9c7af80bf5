"""The programs of docs/errors.md read the errors that they are about."""

import re
import subprocess
import sys

import pytest

from config.tests.prepared import ROOT

ERRORS = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")


def program(language, name):
    (text,) = re.findall(rf"```{language}\n(# {name}.*?)```", ERRORS, re.DOTALL)
    return text


@pytest.mark.processes
def test_the_python_program_reads_json_and_xml(server, tmp_path):
    path = tmp_path / "read_error.py"
    path.write_text(program("python", "read_error.py"))
    urls = [f"{server.events_root}/events/0", f"{server.url}/platform/identity/v1"]

    read = [
        subprocess.run(
            [sys.executable, path, url], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for url in urls
    ]

    (missing, unsigned) = read
    assert missing[:2] == ["404", "The requested event was not found"]
    assert unsigned[:2] == ["401", "Authorization header is missing"]
    assert all(lines[3] for lines in read)
