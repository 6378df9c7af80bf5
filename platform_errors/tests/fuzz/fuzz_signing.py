"""Coverage-guided fuzzing of the header parser and the query normaliser.

    python -m platform_errors.tests.fuzz.fuzz_signing --seconds 60

Stops by itself; a finding ends it with a traceback, the input in a file ``crash-…`` and
exit status 77. The same properties are tested with hypothesis in
``test_properties.py``; here the search follows the branches that inputs reach.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl

import atheris

with atheris.instrument_imports(include=["platform_errors"]):
    from platform_errors.http import authorization_header
    from platform_errors.signing import algorithm, canonicalization


SEEDS = [
    b'clientId="key", timestamp="1", nonce="n", signature="s="\x00a=1&b=2',
    b'clientID="k\\"ey",timestamp="1",nonce="n",signature="s",principalID="p"\x00a=+&a=%2B',
    b'Bearer tk_1, principalID="p"\x00%C3%A9=%26%3D&&=',
    b"Basic abc=, Bearer tk_1\x00a%20b=c;d#e",
    b', clientId="k",, timestamp="1", nonce="n", signature="s", \x00a=%20\x00a=%2520',
]
DICTIONARY = [
    "clientId",
    "principalIDNS",
    '="',
    '", ',
    '\\"',
    "Bearer ",
    "%C3%A9",
    "%2B",
    "&",
]


def check_header(text: str) -> None:
    """Whatever comes, it is read in one way or refused."""
    with contextlib.suppress(authorization_header.TwoHeaders):
        authorization_header.split(text)
    try:
        header = algorithm.parse_header(text)
    except algorithm.HeaderMalformed:
        return
    written = algorithm.build_header(header, scheme="S").removeprefix("S ")
    assert algorithm.parse_header(written) == header, "reads differently when written anew"


def check_queries(
    one: bytes,
    other: bytes,
    normalise: Callable[[bytes], str] = canonicalization.canonical_query,
) -> None:
    """Two queries have one string to sign exactly when they mean the same."""
    try:
        lines, other_lines = normalise(one), normalise(other)
    except canonicalization.QueryMalformed:
        return
    canonicalization.literal_plus_query(one)
    check_as_they_stand(one, other)
    same_meaning = Counter(_meaning(one)) == Counter(_meaning(other))
    assert (lines == other_lines) == same_meaning, "one string to sign, two meanings"
    again = normalise("&".join(lines.splitlines()).encode())
    assert again == lines, "the canonical query is not canonical"


def check_as_they_stand(one: bytes, other: bytes) -> None:
    """Two queries have one string to sign as they stand only when they are one text."""
    lines = canonicalization.as_it_stands_query(one)
    if lines is None or lines != canonicalization.as_it_stands_query(other):
        return
    pieces, other_pieces = (sorted(filter(None, two.split(b"&"))) for two in (one, other))
    assert pieces == other_pieces, "one string to sign, two texts"


def _meaning(query: bytes) -> list[tuple[str, str]]:
    return parse_qsl(query.decode(), keep_blank_values=True, errors="strict")


def check_one_input(data: bytes) -> None:
    """Split the input at its NULs into a header and two queries, and check both."""
    header, _, queries = data.partition(b"\x00")
    one, _, other = queries.partition(b"\x00")
    check_header(header.decode("latin-1"))
    check_queries(one, other or one[::-1])


def main() -> None:
    """Fuzz for a bounded time."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    corpus = Path(tempfile.mkdtemp(prefix="fuzz-signing-"))
    for number, seed in enumerate(SEEDS):
        (corpus / f"seed-{number}").write_bytes(seed)
    words = corpus.with_suffix(".dict")
    escaped = (word.replace("\\", "\\\\").replace('"', '\\"') for word in DICTIONARY)
    words.write_text("".join(f'"{word}"\n' for word in escaped))
    atheris.Setup(
        [
            sys.argv[0],
            f"-max_total_time={options.seconds}",
            "-max_len=512",
            "-timeout=5",
            f"-artifact_prefix={tempfile.gettempdir()}/",
            f"-dict={words}",
            str(corpus),
        ],
        check_one_input,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
