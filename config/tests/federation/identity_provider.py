"""pysaml2 as an institution's identity provider: `identity_provider.py PORT DIRECTORY`.

Runs in an environment of its own (``requirements-saml-idp.txt``). It asks who is there,
remembers that in a cookie, and asks again when it is to. A test tells it by ``/state`` whom
it serves, which keys it publishes and signs with, and how wrong its clock is.
"""

import html
import json
import sys
import time
from datetime import UTC, datetime, timedelta
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import time_machine
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.authn_context import PASSWORDPROTECTEDTRANSPORT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAME_FORMAT_URI, NAMEID_FORMAT_PERSISTENT
from saml2.server import Server
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

PORT, DIRECTORY = int(sys.argv[1]), Path(sys.argv[2])
URL = f"http://127.0.0.1:{PORT}"
STATE = {
    "served": "",  # metadata of who is served
    "publishes": ["one"],
    "signs_with": "one",
    "ahead": 0,
    "asks_anew": True,  # where it is to
}
SUBJECTS = {}
PAGE = """<!DOCTYPE html><title>Sign in</title><h1>Who are you?</h1>
<form method="post" action="/sso"><input name="name">
<input type="hidden" name="SAMLRequest" value="{request}"></form>"""


def make_pair(name):
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), 1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (DIRECTORY / f"{name}.key").write_bytes(
        key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    (DIRECTORY / f"{name}.crt").write_bytes(certificate.public_bytes(pem))


def configuration(first, *others):
    sso = [(f"{URL}/sso", BINDING_HTTP_REDIRECT)]
    return IdPConfig().load(
        {
            "entityid": f"{URL}/metadata",
            "key_file": str(DIRECTORY / f"{first}.key"),
            "cert_file": str(DIRECTORY / f"{first}.crt"),
            "additional_cert_files": [str(DIRECTORY / f"{one}.crt") for one in others],
            "metadata": {"inline": [STATE["served"]] if STATE["served"] else []},
            "service": {
                "idp": {
                    "endpoints": {"single_sign_on_service": sso},
                    "name_id_format": [NAMEID_FORMAT_PERSISTENT],
                    "policy": {
                        "default": {
                            "lifetime": {"minutes": 5},
                            "name_form": NAME_FORMAT_URI,
                            "nameid_format": NAMEID_FORMAT_PERSISTENT,
                        }
                    },
                }
            },
        }
    )


def answer(encoded, name, moment):
    """Return the page whose form brings the answer to a request."""
    provider = Server(config=configuration(STATE["signs_with"]))
    provider.ident.db = SUBJECTS
    message = provider.parse_authn_request(encoded, BINDING_HTTP_REDIRECT).message
    arguments = provider.response_args(message, [BINDING_HTTP_POST])
    address = arguments["destination"]
    del arguments["binding"]
    response = provider.create_authn_response(
        {
            "eduPersonPrincipalName": f"{name}@lakeview.example",
            "displayName": f"Name of {name}",
            "mail": f"{name}@lakeview.example",
            "eduPersonScopedAffiliation": ["member@lakeview.example", f"{name}@roles"],
        },
        userid=name,
        authn={
            "class_ref": PASSWORDPROTECTEDTRANSPORT,
            "authn_auth": URL,
            "authn_instant": moment,
        },
        sign_response=True,
        sign_assertion=True,
        sign_alg=SIG_RSA_SHA256,
        digest_alg=DIGEST_SHA256,
        **arguments,
    )
    bound = provider.apply_binding(BINDING_HTTP_POST, response, address, response=True)
    return bound["data"]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        parts = urlsplit(self.path)
        if parts.path == "/metadata":
            return self.reply(str(entity_descriptor(configuration(*STATE["publishes"]))))
        encoded = parse_qs(parts.query)["SAMLRequest"][0]
        known = SimpleCookie(self.headers.get("Cookie", "")).get("idp")
        server = Server(config=configuration(STATE["signs_with"]))
        message = server.parse_authn_request(encoded, BINDING_HTTP_REDIRECT).message
        is_asked_anew = message.force_authn == "true" and STATE["asks_anew"]
        if known is None or is_asked_anew:
            return self.reply(PAGE.format(request=html.escape(encoded)))
        name, _, moment = known.value.partition(".")
        return self.reply(answer(encoded, name, int(moment)))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/state":
            STATE.update(json.loads(body))
            return self.reply("")
        form = {key: value for key, (value,) in parse_qs(body).items()}
        with time_machine.travel(time.time() + STATE["ahead"]):
            moment = int(time.time())
            page = answer(form["SAMLRequest"], form["name"], moment)
        return self.reply(page, cookie=f"idp={form['name']}.{moment}")

    def reply(self, text, *, cookie=""):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if cookie:
            self.send_header("Set-Cookie", f"{cookie}; HttpOnly")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *arguments):
        """Say nothing."""


make_pair("one")
make_pair("two")
with HTTPServer(("127.0.0.1", PORT), Handler) as httpd:
    sys.stdout.write("listening\n")
    sys.stdout.flush()
    httpd.serve_forever()
