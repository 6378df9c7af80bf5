"""The signing module by itself: the contract's vectors, the grammar, the query."""

import hmac
import json
from pathlib import Path

import pytest

from platform_errors.signing import algorithm, canonicalization

VECTORS = json.loads((Path(__file__).parent / "vectors" / "hmac.json").read_text())
TARGET = algorithm.signature_target("https://www.oclc.org/wskey")


def query_of(url):
    return url.partition("#")[0].partition("?")[2].encode()


def signed_header(**changes):
    facts = {"client_id": "key", "timestamp": "1", "nonce": "n", "signature": "s"}
    return algorithm.SignedHeader(**{**facts, **changes})


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_the_vectors_of_the_contract_are_met(vector):
    header = signed_header(
        client_id=vector["key"], timestamp=vector["timestamp"], nonce=vector["nonce"]
    )
    lines = canonicalization.canonical_query(query_of(vector["url"]))

    message = algorithm.string_to_sign(
        header, method=vector["method"], target=TARGET, query_lines=lines
    )

    assert lines.splitlines() == vector["normalized_query_lines"]
    assert algorithm.sign(message, vector["secret"].encode()) == vector["signature"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_the_vectors_of_the_contract_verify(vector):
    header = signed_header(
        client_id=vector["key"],
        timestamp=vector["timestamp"],
        nonce=vector["nonce"],
        signature=vector["signature"],
    )
    request = algorithm.SignedRequest(vector["method"], query_of(vector["url"]))

    assert algorithm.is_valid(
        header, request=request, target=TARGET, secrets=[vector["secret"].encode()]
    )


def test_the_string_to_sign_is_nine_kinds_of_lines():
    message = algorithm.string_to_sign(
        signed_header(timestamp="1386264196"),
        method="get",
        target=TARGET,
        query_lines=canonicalization.canonical_query(b"b=&a=2&a=1&B=x"),
    )

    assert message == (
        b"key\n1386264196\nn\n\nGET\nwww.oclc.org\n443\n/wskey\nB=x\na=1\na=2\nb=\n"
    )


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ("", []),
        ("a=1&a=2", ["a=1", "a=2"]),
        ("a=2&a=1", ["a=1", "a=2"]),
        ("a=", ["a="]),
        ("a", ["a="]),
        ("&&a=1&", ["a=1"]),
        ("=", ["="]),
        ("q=a+b", ["q=a%20b"]),
        ("q=a%20b", ["q=a%20b"]),
        ("q=a%2Bb", ["q=a%2Bb"]),
        ("q=*~!'()", ["q=%2A~%21%27%28%29"]),
        ("q=%7E%2a", ["q=~%2A"]),
        ("q=é", ["q=%C3%A9"]),
        ("q=%C3%A9", ["q=%C3%A9"]),
        ("q=a%26b%3Dc", ["q=a%26b%3Dc"]),
        ("a=b=c", ["a=b%3Dc"]),
        ("10=1&9=1", ["10=1", "9=1"]),
        ("B=1&a=2", ["B=1", "a=2"]),
        ("q=a%0Ab", ["q=a%0Ab"]),
        ("a;b=1", ["a%3Bb=1"]),
        ("q=a#b", ["q=a%23b"]),
    ],
)
def test_the_canonical_query_follows_the_contract(query, lines):
    assert canonicalization.canonical_query(query.encode()).splitlines() == lines


@pytest.mark.parametrize(
    "query", [b"%", b"a=%2", b"a=%2G", b"%ff=1", b"a=\xe9", b"%C3=%A9", b"a=\xc3%A9"]
)
def test_a_query_that_does_not_decode_is_refused(query):
    with pytest.raises(canonicalization.QueryMalformed):
        canonicalization.canonical_query(query)


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        (b"q=a+b", "q=a%2Bb\n"),
        (b"q=a+b&r=c%20d", "q=a%2Bb\nr=c%20d\n"),
        (b"q=ab", None),
        (b"q=a+b&q=c", None),
        (b"q=a+b&r=", None),
        (b"q=a+b&r", None),
    ],
    ids=["plus", "other parameter", "no plus", "duplicate", "empty value", "bare name"],
)
def test_the_literal_plus_form_is_made_only_where_it_is_safe(query, lines):
    assert canonicalization.literal_plus_query(query) == lines


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        (b"start_date=2026-01-01%2000:00:00", "start_date=2026-01-01%252000%3A00%3A00\n"),
        (b"search=%C3%A9", "search=%25C3%25A9\n"),
        ("search=é".encode(), "search=%C3%A9\n"),
        (b"q=a+b", "q=a%2Bb\n"),
        (b"b%5B%5D=2&a=1", "a=1\nb%255B%255D=2\n"),
        (b"q=a=b%3D", "q=a%3Db%253D\n"),
        (b"&&q=a%20b&", "q=a%2520b\n"),
        (b"", ""),
        (b"q=%20&q=c", None),
        (b"q=%20&%71=c", None),
        (b"q+r=%20&q%20r=c", None),
        (b"q=%20&r=", None),
        (b"q=%20&r", None),
    ],
)
def test_the_form_as_it_stands_is_made_only_where_it_is_safe(query, lines):
    assert canonicalization.as_it_stands_query(query) == lines


GOOD = 'clientId="key", timestamp="1", nonce="n", signature="s"'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        'clientID="key",timestamp="1",nonce="n",signature="s"',
        'SIGNATURE = "s" ,\tnonce= "n" ,CLIENTID ="key" , Timestamp="1"  ',
        f'{GOOD}, userid="u", password="p\xe4ss"',
        f'{GOOD}, principalID="", principalIDNS=""',
        'clientId="k\\ey", timestamp="1", nonce="n", signature="s"'.replace("\\e", "e"),
    ],
    ids=[
        "usual",
        "python",
        "white space and order",
        "unknown names",
        "blank user",
        "plain",
    ],
)
def test_the_header_is_read_in_every_spelling(text):
    assert algorithm.parse_header(text) == signed_header()


@pytest.mark.parametrize(
    "text",
    [
        f"{GOOD}, ",
        f"{GOOD},",
        f", {GOOD}",
        GOOD.replace(",", ", ,"),
        f"{GOOD}{8 * ','}",
        f" , ,\t{GOOD.replace(',', ' ,,')} ,\t, ",
    ],
    ids=["trailing", "without space", "leading", "doubled", "eight", "everywhere"],
)
def test_empty_elements_of_the_signed_header_are_ignored(text):
    assert algorithm.parse_header(text) == signed_header()


@pytest.mark.parametrize(
    "text",
    ["", ",", 'principalID="p", principalIDNS="n",', 'principalID="p",, principalIDNS="n"'],
)
def test_empty_elements_elsewhere_are_refused(text):
    with pytest.raises(algorithm.HeaderMalformed):
        list(algorithm.parse_parameters(text))


def test_a_repeated_parameter_is_named_as_the_contract_spells_it():
    with pytest.raises(algorithm.HeaderMalformed, match="parameter clientId is repeated"):
        algorithm.parse_header(f'{GOOD}, clientid="other"')


def test_quotes_and_backslashes_may_be_escaped():
    header = signed_header(principal_id='a"b\\c', principal_namespace="urn:x")

    text = algorithm.build_header(header, scheme="S")

    assert 'principalID="a\\"b\\\\c"' in text
    assert algorithm.parse_header(text.removeprefix("S ")) == header


@pytest.mark.parametrize(
    "text",
    [
        "",
        ",,",
        "nonsense",
        f"{GOOD}{9 * ','}",
        f",{GOOD},,,,, , ,\t,",
        f"{GOOD}, nonsense,",
        GOOD.replace(",", ";"),
        GOOD.replace('"key"', "key"),
        GOOD.replace('"key"', '"k"ey"'),
        GOOD.replace('"key"', '"k\\ey"'),
        GOOD.replace('"key"', '"key'),
        GOOD.replace('"key"', '"k\ney"'),
        GOOD.replace('"key"', '"k\x00ey"'),
        GOOD.replace('"key"', '"k ey"'),
        GOOD.replace('"key"', '"k\xe9y"'),
        GOOD.replace('"key"', '""'),
        GOOD.replace('"n"', '""'),
        GOOD.replace('"n"', f'"{"n" * 129}"'),
        GOOD.replace('"s"', '""'),
        GOOD.replace('"s"', f'"{"s" * 513}"'),
        GOOD.replace('"key"', f'"{"k" * 256}"'),
        f'{GOOD}, NONCE="n"',
        f'{GOOD}, x="1", X="2"',
        f'{GOOD}, principalID="{"p" * 513}"',
        f'{GOOD}, principalID="\xe9"',
        f'{GOOD}, x="{"x" * 9000}"',
    ],
)
def test_a_header_that_could_be_read_in_two_ways_is_refused(text):
    with pytest.raises(algorithm.HeaderMalformed):
        algorithm.parse_header(text)


def test_a_refused_header_says_which_signature_it_gave():
    with pytest.raises(algorithm.HeaderMalformed) as refused:
        algorithm.parse_header('signature="abc", nonce="n"')

    assert refused.value.signature == "abc"
    assert str(refused.value) == "parameter clientId is missing"


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://www.example.org/wskey", ("www.example.org", 443, "/wskey")),
        ("http://example.org", ("example.org", 80, "/")),
        ("https://EXAMPLE.org:8443/a/b", ("example.org", 8443, "/a/b")),
    ],
)
def test_the_signature_url_is_split_into_three_lines(url, target):
    assert algorithm.signature_target(url) == target


@pytest.mark.parametrize("method", ["", "G ET", "GET\n", "GÉT"])
def test_a_method_that_is_no_token_is_never_valid(method):
    request = algorithm.SignedRequest(method, b"")

    assert not algorithm.is_valid(
        signed_header(), request=request, target=TARGET, secrets=[b"x"]
    )
    with pytest.raises(ValueError, match="not an HTTP token"):
        algorithm.string_to_sign(
            signed_header(), method=method, target=TARGET, query_lines=""
        )


@pytest.mark.parametrize("part", ["client_id", "timestamp", "nonce"])
def test_a_line_feed_cannot_run_into_the_next_line(part):
    with pytest.raises(ValueError, match="line feed"):
        algorithm.string_to_sign(
            signed_header(**{part: "a\nb"}), method="GET", target=TARGET, query_lines=""
        )


def test_every_secret_and_form_is_compared_even_after_one_matched(monkeypatch):
    """Constant time: the work does not depend on which secret matches."""
    compared = []
    genuine = hmac.compare_digest
    monkeypatch.setattr(
        hmac, "compare_digest", lambda *both: compared.append(both) or genuine(*both)
    )
    text = algorithm.string_to_sign(
        signed_header(), method="GET", target=TARGET, query_lines="q=a%20b\n"
    )
    header = signed_header(signature=algorithm.sign(text, b"one"))

    valid = algorithm.is_valid(
        header,
        request=algorithm.SignedRequest("GET", b"q=a+b"),
        target=TARGET,
        secrets=[b"one", b"two"],
        old_generation=True,
    )

    assert (valid, len(compared)) == (True, 4)


@pytest.mark.parametrize("allowed", [True, False])
def test_the_literal_plus_form_verifies_only_where_it_is_allowed(allowed):
    text = algorithm.string_to_sign(
        signed_header(), method="GET", target=TARGET, query_lines="q=a%2Bb\n"
    )
    header = signed_header(signature=algorithm.sign(text, b"secret"))
    request = algorithm.SignedRequest("GET", b"q=a+b")

    valid = algorithm.is_valid(
        header,
        request=request,
        target=TARGET,
        secrets=[b"secret"],
        old_generation=allowed,
    )

    assert valid == allowed


@pytest.mark.parametrize("allowed", [True, False])
def test_the_form_as_it_stands_verifies_only_where_it_is_allowed(allowed):
    text = algorithm.string_to_sign(
        signed_header(), method="GET", target=TARGET, query_lines="q=a%2520b\n"
    )
    header = signed_header(signature=algorithm.sign(text, b"secret"))
    request = algorithm.SignedRequest("GET", b"q=a%20b")

    valid = algorithm.is_valid(
        header,
        request=request,
        target=TARGET,
        secrets=[b"secret"],
        old_generation=allowed,
    )

    assert valid == allowed
