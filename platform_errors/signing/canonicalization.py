"""The query of a signed request as lines: the canonical form, and two of older clients.

Pure, like ``algorithm.py``, which signs the lines; the rules are ``docs/signing.md``.
"""

from urllib.parse import quote

from platform_errors.http import urlencoded


class QueryMalformed(ValueError):
    """The query string is not percent-encoded UTF-8, so there is nothing to sign."""


def canonical_query(query: bytes) -> str:
    """Return one ``name=value`` line per parameter, each ending in LF, sorted.

    Takes the query as it came over the wire: decoding it first loses the difference
    between ``+`` and ``%2B`` and between ``&`` and ``%26``. Two queries have the same lines
    exactly when they decode to the same names and values, order aside. Raises
    ``QueryMalformed`` for what does not decode.
    """
    return _lines(_decoded(query))


def literal_plus_query(query: bytes) -> str | None:
    """Return the lines of clients that sign ``+`` as ``%2B``, or ``None`` where unsafe.

    Those clients also drop repeated and empty parameters, so a query that has either (or a
    bare name) could carry what was never signed. Raises ``QueryMalformed``.
    """
    if b"+" not in query:
        return None
    pairs = _decoded(query.replace(b"+", b"%2B"))
    return _lines(pairs) if _is_plain(pairs) and _is_plain(_decoded(query)) else None


def as_it_stands_query(query: bytes) -> str | None:
    """Return the lines of clients that encode the wire's text once more, or ``None``.

    Nothing is decoded: ``a=%20`` is signed as ``a=%2520``. So two queries have the same
    lines only when they are the same text, order aside. ``None`` under the same conditions
    as ``literal_plus_query``. Raises ``QueryMalformed``.
    """
    return _lines(urlencoded.split(query)) if _is_plain(_decoded(query)) else None


def _decoded(query: bytes) -> list[tuple[str, str]]:
    """Split and decode as the parameters are read elsewhere."""
    try:
        pairs = urlencoded.split(query)
        # Raw bytes must be whole characters by themselves: half of one raw and half escaped
        # decodes here, but not where the parameters are read.
        query.decode()
        return [
            (urlencoded.decode(name), urlencoded.decode(value)) for name, value in pairs
        ]
    except urlencoded.BrokenEscape:
        raise QueryMalformed(
            "the query string has a % that is not followed by two hex digits"
        ) from None
    except UnicodeDecodeError:
        raise QueryMalformed("the query string is not UTF-8") from None


def _is_plain(pairs: list[tuple[str, str]]) -> bool:
    """Return whether each name comes once, and with a value."""
    return len({name for name, _ in pairs}) == len(pairs) and all(
        value for _, value in pairs
    )


def _lines(pairs: list[tuple[str, str]] | list[tuple[bytes, bytes]]) -> str:
    """Encode and sort by encoded name, then encoded value, as bytes."""
    # quote() with nothing safe leaves exactly RFC 3986's unreserved characters.
    encoded = sorted((quote(name, safe=""), quote(value, safe="")) for name, value in pairs)
    return "".join(f"{name}={value}\n" for name, value in encoded)
