"""The fuzz harness runs, and would find what it looks for."""

import os
import subprocess
import sys

import pytest

from platform_errors.signing import canonicalization

pytest.importorskip("atheris", reason="atheris has no build for this platform")

from platform_errors.tests.fuzz import fuzz_signing

SECONDS = 120 if os.environ.get("FUZZ") == "long" else 1
HARNESS = [sys.executable, "-m", "platform_errors.tests.fuzz.fuzz_signing"]


@pytest.mark.fuzz
def test_the_harness_finds_nothing_and_stops_by_itself():
    finished = subprocess.run(
        [*HARNESS, "--seconds", str(SECONDS)],
        capture_output=True,
        text=True,
        timeout=SECONDS + 60,
        check=False,
    )

    assert finished.returncode == 0, finished.stderr
    assert "Done " in finished.stderr


@pytest.mark.parametrize(
    ("careless", "query", "other"),
    [
        (lambda query: "", b"a=1", b"a=2"),
        (lambda query: query.decode(), b"b=%41", b"b=A"),
        (
            lambda query: "".join({*canonicalization.canonical_query(query)}),
            b"a=11",
            b"a=1",
        ),
    ],
    ids=["signs nothing", "signs what was sent", "drops duplicates"],
)
def test_the_harness_would_find_a_careless_normaliser(careless, query, other):
    with pytest.raises(AssertionError):
        fuzz_signing.check_queries(query, other, careless)


def test_the_harness_is_content_with_ours():
    fuzz_signing.check_one_input(b"\x00a=1&a=1\x00a=1")
    fuzz_signing.check_one_input(b'clientId="k"\x00a+b=%zz')
