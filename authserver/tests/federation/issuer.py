"""A small OpenID Connect issuer on loopback that can be told to lie."""

import hashlib
import json
import threading
import time
from base64 import urlsafe_b64encode
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def jwk(key, identifier):
    public = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {**public, "kid": identifier, "use": "sig", "alg": "RS256"}


class Ahead(int):
    """A moment, in seconds from when the token is made."""


class Issuer:
    """Says of everybody what ``claims`` say; ``answers`` replace single answers.

    An answer is what JSON is made of, bytes, or a function of the handler.
    """

    def __init__(self, url):
        self.url = url
        self.claims = {"sub": "ann-1", "preferred_username": "ann", "name": "Ann Arrives"}
        self.userinfo = None
        self.document = {}
        self.keys = [jwk(KEY, "one")]
        self.signs_with = (KEY, "RS256", {"kid": "one"})
        self.token = {}
        self.answers = {}
        self.codes = {}
        self.asked = []

    def authorize(self, location):
        """Return the parameters of an answer to the authorization request at an address."""
        query = {k: v for k, (v,) in parse_qs(urlsplit(location).query).items()}
        assert location.startswith(f"{self.url}/authorize?")
        code = f"code-{len(self.codes)}"
        self.codes[code] = query
        return {"code": code, "state": query["state"], "iss": self.url}

    def back(self, location, **changes):
        """Return the address that this issuer sends the browser back to."""
        answer = {**self.authorize(location), **changes}
        query = parse_qs(urlsplit(location).query)
        kept = {name: value for name, value in answer.items() if value is not None}
        path = urlsplit(query["redirect_uri"][0]).path
        return f"{path}?{urlencode(kept)}"

    def id_token(self, request):
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": request["client_id"],
            "iat": now,
            "exp": now + 300,
            "auth_time": now,
            "nonce": request.get("nonce"),
            **self.claims,
            **self.token,
        }
        key, algorithm, headers = self.signs_with
        kept = {
            name: now + value if isinstance(value, Ahead) else value
            for name, value in claims.items()
            if value is not None
        }
        return jwt.encode(kept, key, algorithm=algorithm, headers=headers)

    def answer(self, path, body):
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/me",
                "jwks_uri": f"{self.url}/keys",
                "authorization_response_iss_parameter_supported": True,
                **self.document,
            }
        if path == "/keys":
            return {"keys": self.keys}
        if path == "/me":
            return self.userinfo or self.claims
        if path == "/token":
            return self.redeem(body)
        return None

    def redeem(self, body):
        form = {name: value for name, (value,) in parse_qs(body.decode()).items()}
        request = self.codes.pop(form.get("code"), None)
        if request is None:
            return 400, {"error": "invalid_grant"}
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = urlsafe_b64encode(verifier).rstrip(b"=").decode()
        if request.get("code_challenge") != challenge:
            return 400, {"error": "invalid_grant"}
        return {
            "access_token": "at",
            "token_type": "Bearer",
            "id_token": self.id_token(request),
        }


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self._serve(b"")

    def do_POST(self):
        self._serve(self.rfile.read(int(self.headers["Content-Length"])))

    def _serve(self, body):
        issuer, path = self.server.issuer, urlsplit(self.path).path
        issuer.asked.append((self.command, path, dict(self.headers)))
        answer = (
            issuer.answers[path] if path in issuer.answers else issuer.answer(path, body)
        )
        if callable(answer):
            answer(self)
            return
        status, content = answer if isinstance(answer, tuple) else (200, answer)
        if content is None:
            status, content = 404, {}
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        """Say nothing."""


@contextmanager
def running():
    """Yield an issuer on a loopback port of its own."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.issuer = Issuer(f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        try:
            yield server.issuer
        finally:
            server.shutdown()
