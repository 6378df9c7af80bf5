"""docs/signing.md: its examples run, and its tables and its sample are true."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from platform_errors.signing import algorithm, canonicalization
from platform_errors.tests.clients import authorization
from platform_errors.tests.documents_of import code_block, docs, table

DOC = docs("signing.md")
TARGET = algorithm.signature_target("https://platform.example/signature")
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "KEY": "demo-hmac",
    "SECRET": "demo-hmac-secret",
    "TIMESTAMP": "1386264196",
    "NONCE": "as7shfn3",
}
SIMPLE = ["", "?search=yoga%20class&per_page=5", "?a-b=1&a=2&a=1", "?b=&a&a=1&&q=x+y"]
TRICKY = ["?q=%7e*!'()%2B+%26&q=%C3%A9", "?q=a=b%3Dc;d#fragment"]


def run(arguments, script: Path, language, url, **settings):
    script.write_text(code_block(DOC, language))
    finished = subprocess.run(
        [*arguments, script, "GET", url],
        env={**ENVIRONMENT, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    return finished.stdout.strip()


def expected(url):
    return authorization(
        "GET",
        url.partition("#")[0],
        client_id=ENVIRONMENT["KEY"],
        secret=ENVIRONMENT["SECRET"],
        timestamp=ENVIRONMENT["TIMESTAMP"],
        nonce=ENVIRONMENT["NONCE"],
    )


@pytest.mark.parametrize("query", SIMPLE + TRICKY)
def test_the_python_example_signs(tmp_path, query):
    url = f"https://host.example/path{query}"

    assert run([sys.executable], tmp_path / "sign.py", "python", url) == expected(url)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("query", SIMPLE + TRICKY)
def test_the_javascript_example_signs(tmp_path, query):
    url = f"https://host.example/path{query}"

    assert run(["node"], tmp_path / "sign.mjs", "javascript", url) == expected(url)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
@pytest.mark.parametrize("query", SIMPLE)
def test_the_shell_example_signs(tmp_path, query):
    url = f"https://host.example/path{query}"

    assert run(["sh"], tmp_path / "sign.sh", "shell", url) == expected(url)


@pytest.mark.parametrize(
    "signature_url",
    [
        "http://platform.example/signature",
        "https://Platform.example:8443/a/b",
        "http://platform.example:8080",
        "https://platform.example",
    ],
)
@pytest.mark.parametrize(
    ("program", "language"),
    [(sys.executable, "python"), ("node", "javascript"), ("sh", "shell")],
)
def test_each_example_signs_for_the_signature_url_of_the_server(
    tmp_path, change, program, language, signature_url
):
    needed = "openssl" if language == "shell" else program
    if shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed")
    change(HMAC_SIGNATURE_URL=signature_url)
    url = "https://host.example/path?a=1"
    script = tmp_path / ("sign.mjs" if language == "javascript" else "sign")

    printed = run([program], script, language, url, HMAC_SIGNATURE_URL=signature_url)

    assert printed == expected(url)


@pytest.mark.parametrize("row", table(DOC, "query"), ids=lambda row: row[0])
def test_the_table_of_queries_is_true(row):
    query, lines = row

    assert canonicalization.canonical_query(
        query.strip("`").encode()
    ).splitlines() == re.findall("`([^`]*)`", lines)


def test_the_request_to_compare_with_is_true():
    text = code_block(DOC, "text vector")
    (signature,) = re.findall("Signature: `(.*)`", DOC)
    header = algorithm.SignedHeader(
        client_id=ENVIRONMENT["KEY"],
        timestamp=ENVIRONMENT["TIMESTAMP"],
        nonce=ENVIRONMENT["NONCE"],
        signature=signature,
    )

    message = algorithm.string_to_sign(
        header,
        method="GET",
        target=TARGET,
        query_lines=canonicalization.canonical_query(b"search=yoga+class&per_page=5"),
    )

    assert message.decode() == text
    assert algorithm.sign(message, ENVIRONMENT["SECRET"].encode()) == signature


FORMS = table(DOC, "form | step 2 above | `q=a+b` | `q=a%20b` | `q=%2B`")
NORMALISE = {
    "canonical": canonicalization.canonical_query,
    "literal plus": lambda query: (
        canonicalization.literal_plus_query(query)
        or canonicalization.canonical_query(query)
    ),
    "as it stands": canonicalization.as_it_stands_query,
}


@pytest.mark.parametrize("row", FORMS, ids=lambda row: row[0])
def test_the_table_of_forms_is_true(row):
    form, _, *lines = row

    assert [NORMALISE[form](query) for query in (b"q=a+b", b"q=a%20b", b"q=%2B")] == [
        f"{line.strip('`')}\n" for line in lines
    ]
