"""What holds for every header and every query, not only for the ones we thought of."""

from collections import Counter
from dataclasses import replace
from urllib.parse import parse_qsl, quote, quote_plus

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from platform_errors.http import authorization_header
from platform_errors.signing import algorithm, canonicalization

pytestmark = pytest.mark.fuzz

TARGET = algorithm.signature_target("https://platform.example/signature")
METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
# Text that is likely to collide: few characters, all of them special to somebody.
TRICKY = st.text(alphabet="ab=&+%;/ \n~*é", max_size=6)
PAIRS = st.lists(st.tuples(TRICKY, TRICKY), max_size=4)
RAW_QUERIES = st.one_of(
    st.binary(max_size=40),
    st.text(alphabet="ab=&+%0123456789ABCDEFf;#", max_size=20).map(str.encode),
)


def encode(pairs, quoting):
    return "&".join(f"{quoting(name)}={quoting(value)}" for name, value in pairs).encode()


def message(method, query, header=None):
    header = header or algorithm.SignedHeader(
        client_id="key", timestamp="1", nonce="n", signature=""
    )
    return algorithm.string_to_sign(
        header,
        method=method,
        target=TARGET,
        query_lines=canonicalization.canonical_query(query),
    )


def decoded(query):
    """What Django reads from the same query: the meaning that a signature protects."""
    return Counter(parse_qsl(query.decode(), keep_blank_values=True, errors="strict"))


def joined(*pieces):
    """Text that is nearly a header, so that every branch of a parser is reached."""
    return st.lists(st.sampled_from(pieces), max_size=14).map("".join)


SPOILERS = joined('"', "\\", ",", ", ", "=", " ", "\t", "é", "\x00", 'x="y"', "nonce")
VALUES = st.text(alphabet='ab1=+/ \\"é', max_size=4)


@st.composite
def headers(draw):
    """A header with every parameter, in any order and spelling, or nearly one."""
    required = {"clientId", "timestamp", "nonce", "signature"}
    present = required | draw(st.sets(st.sampled_from(["principalID", "principalIDNS"])))
    parts = []
    for name in draw(st.permutations(sorted(present))):
        spelling = draw(st.sampled_from([name, name.lower(), name.upper()]))
        value = draw(VALUES).replace("\\", "\\\\").replace('"', '\\"')
        parts.append(f'{spelling}="{value}"')
    text = draw(st.sampled_from([", ", ",", " ,\t"])).join(parts)
    return draw(st.sampled_from([text, text, text + draw(SPOILERS)]))


@given(headers() | st.text())
@example('signature="s",clientId="k",nonce="n",timestamp=""')
def test_a_header_is_read_in_one_way_or_refused(text):
    try:
        header = algorithm.parse_header(text)
    except algorithm.HeaderMalformed:
        return
    written = algorithm.build_header(header, scheme="S").removeprefix("S ")
    assert algorithm.parse_header(written) == header


@st.composite
def lists(draw):
    """The elements of a header, and the same with empty ones put in between."""
    elements = [f'{name}="{value}"' for name, value in draw(HEADER_FACTS)]
    empty = draw(st.lists(st.integers(0, len(elements)), max_size=12))
    with_empty = list(elements)
    for position in sorted(empty, reverse=True):
        with_empty.insert(position, draw(st.sampled_from(["", " ", "\t", "  "])))
    return elements, with_empty, len(empty)


HEADER_FACTS = st.permutations(
    [("clientId", "k"), ("timestamp", "1"), ("nonce", "n,,"), ("signature", "s")]
)


@given(lists())
def test_empty_elements_change_nothing_and_nine_are_refused(drawn):
    elements, with_empty, count = drawn
    plain = algorithm.parse_header(",".join(elements))

    if count <= algorithm.MAX_EMPTY_ELEMENTS:
        assert algorithm.parse_header(",".join(with_empty)) == plain
    else:
        with pytest.raises(algorithm.HeaderMalformed):
            algorithm.parse_header(",".join(with_empty))


@given(lists())
def test_empty_elements_do_not_change_what_counts_as_two_headers(drawn):
    elements, with_empty, _ = drawn

    def is_split(parts):
        return authorization_header.split(f"S {','.join(parts)}") is not None

    assert is_split(elements)
    assert is_split(with_empty)
    with pytest.raises(authorization_header.TwoHeaders):
        is_split([*with_empty, " Bearer tk"])


@given(joined("Bearer", "Basic", " ", ",", ", ", 'a="b"', "http://x", '"', "\\", "=", "tk"))
@example("Bearer tk, Basic b")
@example('Bearer tk, a="b, Basic c"')
def test_a_value_is_split_or_refused_as_two_headers(text):
    try:
        header = authorization_header.split(text)
    except authorization_header.TwoHeaders:
        assert "," in text
        return
    assert header is None or header.scheme == header.scheme.lower() != ""


SCHEMES = st.sampled_from(
    ["Bearer", "Basic", "bearer", "Digest", "http://platform.example/hmac/v2/v1"]
)
CREDENTIALS = st.sampled_from(
    ["", " ", " tk_1", " dGs6c2VjcmV0==", "\ta", ' a="b"', ' a = "b", c="d"', " a, b"]
)


def is_one_header(value):
    try:
        algorithm.parse_header(authorization_header.split(value).rest)
    except (authorization_header.TwoHeaders, algorithm.HeaderMalformed):
        return False
    return True


@given(
    st.sampled_from(["n", "n,Bearer", "=", "a=b", '\\"', "\\\\"]),
    SCHEMES,
    CREDENTIALS,
    st.sampled_from([",", ", ", " , "]),
)
def test_a_second_scheme_after_a_comma_is_never_read_as_one_header(
    nonce, scheme, credentials, comma
):
    """Servers join two headers so; whichever of them is meant, the other was not."""
    first = f'S clientId="k", timestamp="1", nonce="{nonce}", signature="s"'

    assert is_one_header(first)
    assert not is_one_header(f"{first}{comma}{scheme}{credentials}")


@given(RAW_QUERIES)
def test_no_query_crashes_the_normaliser(query):
    try:
        lines = canonicalization.canonical_query(query)
    except canonicalization.QueryMalformed:
        return
    assert lines == "" or lines.endswith("\n")
    assert lines.isascii()
    assert lines.splitlines() == sorted(
        lines.splitlines(), key=lambda line: line.split("=", 1)
    )


@given(RAW_QUERIES, RAW_QUERIES, METHODS, METHODS)
def test_no_two_different_requests_have_one_string_to_sign(
    query, other_query, method, other_method
):
    try:
        same = message(method, query) == message(other_method, other_query)
        meanings = decoded(query), decoded(other_query)
    except ValueError:
        return
    assert same == (method == other_method and meanings[0] == meanings[1])


@given(PAIRS, PAIRS, METHODS, METHODS)
def test_no_two_different_meanings_have_one_string_to_sign(
    pairs, other_pairs, method, other_method
):
    same = message(method, encode(pairs, quote)) == message(
        other_method, encode(other_pairs, quote)
    )

    assert same == (method == other_method and Counter(pairs) == Counter(other_pairs))


@given(PAIRS, st.randoms())
def test_order_and_spelling_of_a_query_do_not_matter(pairs, random):
    shuffled = random.sample(pairs, len(pairs))

    assert canonicalization.canonical_query(
        encode(pairs, quote)
    ) == canonicalization.canonical_query(encode(shuffled, quote_plus))


@given(PAIRS)
def test_the_canonical_query_is_canonical(pairs):
    lines = canonicalization.canonical_query(encode(pairs, quote))

    assert canonicalization.canonical_query("&".join(lines.splitlines()).encode()) == lines


NEAR_QUERIES = st.text(alphabet="ab=&+%2052BbC3A9é", max_size=14).map(str.encode)


@given(NEAR_QUERIES | RAW_QUERIES, NEAR_QUERIES | RAW_QUERIES)
@example(b"q=%20", b"q=+")
@example(b"q=%2520", b"q=%20")
@example(b"q=%c3%a9", b"q=%C3%A9")
def test_no_two_different_queries_share_a_string_to_sign_as_they_stand(query, other_query):
    """Not even two spellings of one meaning do, order and empty pieces aside."""
    try:
        lines = canonicalization.as_it_stands_query(query)
        other_lines = canonicalization.as_it_stands_query(other_query)
    except canonicalization.QueryMalformed:
        return
    assume(lines is not None and other_lines is not None)

    def pieces(query):
        return sorted(piece for piece in query.split(b"&") if piece)

    assert (lines == other_lines) == (pieces(query) == pieces(other_query))
    if lines == other_lines:
        assert decoded(query) == decoded(other_query)


@given(NEAR_QUERIES | RAW_QUERIES)
def test_old_forms_are_made_only_of_queries_without_repeated_or_empty_parameters(query):
    try:
        old_forms = (
            canonicalization.literal_plus_query(query),
            canonicalization.as_it_stands_query(query),
        )
        meaning = decoded(query)
    except ValueError:
        return
    names = [name for name, _ in meaning.elements()]
    if len(set(names)) < len(names) or not all(value for _, value in meaning):
        assert old_forms == (None, None)


@given(NEAR_QUERIES | RAW_QUERIES, METHODS)
@example(b"q=a%20b", "GET")
@example(b"q=a+b", "GET")
def test_other_keys_accept_the_canonical_form_alone(query, method):
    try:
        canonical = canonicalization.canonical_query(query)
        forms = {
            canonicalization.literal_plus_query(query),
            canonicalization.as_it_stands_query(query),
        }
    except canonicalization.QueryMalformed:
        return
    for form in forms - {None}:
        unsigned = algorithm.SignedHeader(
            client_id="key", timestamp="1", nonce="n", signature=""
        )
        text = algorithm.string_to_sign(
            unsigned, method=method, target=TARGET, query_lines=form
        )
        header = replace(unsigned, signature=algorithm.sign(text, b"secret"))
        request = algorithm.SignedRequest(method, query)

        def is_valid(*, old_generation, header=header, request=request):
            return algorithm.is_valid(
                header,
                request=request,
                target=TARGET,
                secrets=[b"secret"],
                old_generation=old_generation,
            )

        assert is_valid(old_generation=False) == (form == canonical)
        assert is_valid(old_generation=True)


FACT = st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=1)


@given(st.tuples(FACT, FACT, FACT), st.tuples(FACT, FACT, FACT))
def test_no_two_different_headers_have_one_string_to_sign(facts, other_facts):
    assume(facts != other_facts)

    def of(facts):
        client_id, timestamp, nonce = facts
        return algorithm.SignedHeader(
            client_id=client_id, timestamp=timestamp, nonce=nonce, signature=""
        )

    assert message("GET", b"", of(facts)) != message("GET", b"", of(other_facts))


@given(PAIRS, METHODS, st.binary(min_size=1, max_size=40))
def test_what_was_signed_verifies_and_nothing_else_does(pairs, method, secret):
    query = encode(pairs, quote)
    signature = algorithm.sign(message(method, query), secret)
    header = algorithm.SignedHeader(
        client_id="key", timestamp="1", nonce="n", signature=signature
    )

    def is_valid(method=method, query=query, secret=secret):
        request = algorithm.SignedRequest(method, query)
        return algorithm.is_valid(header, request=request, target=TARGET, secrets=[secret])

    assert is_valid()
    assert not is_valid(secret=secret + b"x")
    assert not is_valid(method="TRACE")
    assert not is_valid(query=query + b"&extra=1")
