"""A security key in Python, which signs whatever it is asked to."""

import hashlib
import json
from base64 import urlsafe_b64encode

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256

from authserver.conf import conf

PRESENT, VERIFIED, HAS_KEY = 0x01, 0x04, 0x40


class SecurityKey:
    """One passkey of one account; a PIN was typed where a step says that it is verified."""

    def __init__(self, identifier=b"key-one"):
        self.identifier = identifier
        self.key = ec.generate_private_key(ec.SECP256R1())

    def made(self, options, *, origin):
        """Return the new credential that a page's options ask for."""
        asked = options["publicKey"]
        self.handle = asked["user"]["id"]
        public = cbor.encode(dict(ES256.from_cryptography_key(self.key.public_key())))
        length = len(self.identifier).to_bytes(2, "big")
        data = self._data(asked["rp"]["id"], PRESENT | VERIFIED | HAS_KEY)
        data += bytes(16) + length + self.identifier + public
        attested = cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", asked["challenge"], origin)
        return self._credential(
            clientDataJSON=_text(client), attestationObject=_text(attested)
        )

    def signed(self, challenge, *, host, origin, is_verified=True):
        """Return the proof for a challenge."""
        data = self._data(host, PRESENT | (VERIFIED if is_verified else 0))
        client = self._client("webauthn.get", challenge, origin)
        signature = self.key.sign(
            data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256())
        )
        return self._credential(
            clientDataJSON=_text(client),
            authenticatorData=_text(data),
            signature=_text(signature),
            userHandle=self.handle,
        )

    def _credential(self, **response):
        identifier = _text(self.identifier)
        return {
            "id": identifier,
            "rawId": identifier,
            "type": "public-key",
            "response": response,
            "clientExtensionResults": {"credProps": {"rk": True}},
        }

    @staticmethod
    def _data(host, flags):
        return hashlib.sha256(host.encode()).digest() + bytes([flags]) + bytes(4)

    @staticmethod
    def _client(kind, challenge, origin):
        client = {"type": kind, "challenge": challenge, "origin": origin}
        return json.dumps(client).encode()


def options_of(browser):
    (text,) = browser.page.xpath("//@data-options")
    return json.loads(text)


def post(browser, page, credential):
    """Send a proof by the form of the page that is shown."""
    token = browser.values("csrfmiddlewaretoken")[0]
    form = {"credential": json.dumps(credential), "csrfmiddlewaretoken": token}
    return browser.client.post(page, form)


def add_key(browser, identifier=b"key-one", **more):
    key = SecurityKey(identifier)
    browser.open("/oauth2/factors/passkey")
    made = key.made(options_of(browser), origin=conf.issuer)
    return key, post(browser, "/oauth2/factors/passkey", {**made, **more})


def _text(data):
    return urlsafe_b64encode(data).rstrip(b"=").decode()
