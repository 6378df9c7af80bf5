"""A client that signs, and readers of the three error documents."""

import itertools
import json
import time
from dataclasses import dataclass, replace

from django.test import Client
from lxml import etree

from platform_errors.conf import conf
from platform_errors.signing import algorithm, canonicalization
from platform_errors.tests.factories import SECRET, TOKEN

_nonces = itertools.count()


def authorization(
    method,
    url,
    *,
    client_id="key",
    secret=SECRET,
    timestamp=None,
    nonce=None,
    principal=("", ""),
    **changes,
):
    """Return a signed header as a client would make it; ``changes`` spoil parts of it."""
    unsigned = algorithm.SignedHeader(
        client_id=client_id,
        timestamp=str(int(time.time())) if timestamp is None else timestamp,
        nonce=f"nonce-{next(_nonces)}" if nonce is None else nonce,
        signature="",
        principal_id=principal[0],
        principal_namespace=principal[1],
    )
    message = algorithm.string_to_sign(
        unsigned,
        method=method,
        target=algorithm.signature_target(conf.hmac_signature_url),
        query_lines=canonicalization.canonical_query(url.partition("?")[2].encode()),
    )
    header = replace(unsigned, signature=algorithm.sign(message, secret.encode()))
    return algorithm.build_header(replace(header, **changes), scheme=conf.hmac_scheme_url)


class Api(Client):
    """Django's client, with signed and bearer calls, and 500s answered as in production."""

    def __init__(self) -> None:
        super().__init__(raise_request_exception=False)

    def call(self, method, url, header=None, accept="application/xml", **extra):
        if header is not None:
            extra["HTTP_AUTHORIZATION"] = header
        if accept is not None:
            extra["HTTP_ACCEPT"] = accept
        return self.generic(method, url, **extra)

    def signed(self, method, url, *, accept="application/xml", body=None, **how):
        extra = {} if body is None else {"data": body, "content_type": "application/json"}
        return self.call(
            method, url, authorization(method, url, **how), accept=accept, **extra
        )

    def bearer(self, method, url, token=TOKEN, **extra):
        return self.call(method, url, f"Bearer {token}", **extra)


@dataclass(frozen=True)
class Error:
    """An error document, whichever form it came in."""

    status: int
    message: str
    detail: str


def read_error(response) -> Error:
    """Read the platform's XML or JSON, checking its form on the way."""
    if response["Content-Type"] == "application/json":
        members = json.loads(response.content)
        assert list(members)[:4] == ["code", "message", "detail", "reason"]
        assert members["reason"] == response[conf.reason_header]
        code, message, detail = list(members.values())[:3]
    else:
        assert response["Content-Type"] == "application/xml; charset=utf-8"
        root = etree.fromstring(response.content)
        assert root.tag == f"{{{conf.error_response_ns}}}error"
        names = [etree.QName(child).localname for child in root]
        assert names == ["code", "message", "detail"]
        code, message, detail = (child.text or "" for child in root)
    assert int(code) == response.status_code
    return Error(response.status_code, message, detail)
