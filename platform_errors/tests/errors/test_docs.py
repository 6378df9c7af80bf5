"""docs/errors.md: its documents are valid and its examples run."""

import json
import re
import shutil
import subprocess
import sys
import uuid

import pytest
from lxml import etree

from platform_errors.errors import catalogue, documents
from platform_errors.errors.dialects import PLATFORM
from platform_errors.tests.documents_of import code_block, docs
from platform_errors.tests.errors.test_documents import ALL, NS, PARTS, example, schema
from platform_errors.tests.errors.texts import REFUSALS

DOC = docs("errors.md")


def test_every_refusal_has_its_texts_once():
    assert sorted(name for name, *_ in REFUSALS) == [cls.__name__ for cls in ALL]


@pytest.mark.parametrize(("name", "status", "text"), [row[:3] for row in REFUSALS])
def test_a_refusal_says_what_clients_know(name, status, text):
    (refusal,) = (cls for cls in ALL if cls.__name__ == name)
    parts = {"problems": "a (A) [Expired]", **PARTS.get(refusal, {})}

    assert refusal.status_code == status
    assert text.format_map(parts) in {refusal.default_detail, example(refusal).text}


def test_the_sample_documents_are_the_ones_we_send():
    refusal = catalogue.KeyInvalid(key="demo")
    xml = code_block(DOC, "xml").strip()
    as_json = re.search(r'```json\n(\{"code": 401, .*)\n```', DOC)[1]

    assert xml.encode() == documents.error_xml(refusal, NS)
    schema("error.xsd").assertValid(etree.fromstring(xml.encode()))
    assert json.loads(as_json) == PLATFORM.members(refusal)


PROGRAMS = {
    "python": ([sys.executable], None),
    "javascript": (["node"], "node"),
    "shell": (["sh"], "curl"),
}


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize(
    ("path", "message", "detail"),
    [
        ("/platform/identity/v1", "Authorization header is missing", None),
        ("/platform/nowhere", "Not Found", "nothing lives at this address"),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_the_examples_read_a_refusal(
    tmp_path, live_server, language, path, message, detail
):
    program, needed = PROGRAMS[language]
    if needed and shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed")
    script = tmp_path / ("read_error.mjs" if language == "javascript" else "read_error")
    script.write_text(code_block(DOC, language))

    printed = subprocess.run(
        [*program, script, f"{live_server}{path}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    status = "404" if message == "Not Found" else "401"
    assert printed[:3] == [status, message, detail or message]
    assert uuid.UUID(printed[3])
