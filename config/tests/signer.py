"""A client's own code for signed requests (decisions 5), apart from the server's."""

import base64
import hashlib
import hmac
import time
from urllib.parse import quote, urlsplit

ALICE = "00000000-0000-4000-8000-000000000001"


def signed(
    method, url, *, key="demo-hmac", secret=None, timestamp=None, nonce=None, **more
):
    """Return the Authorization header a client's own code would make (decisions 5)."""
    timestamp = str(timestamp or int(time.time()))
    nonce = nonce or str(time.monotonic_ns())
    pairs = [
        (quote(name, safe=""), quote(value, safe=""))
        for name, _, value in (
            piece.partition("=") for piece in urlsplit(url).query.split("&")
        )
        if name
    ]
    lines = [key, timestamp, nonce, "", method, "platform.example", "443", "/signature"]
    lines += [f"{name}={value}" for name, value in sorted(pairs)]
    text = "".join(f"{line}\n" for line in lines)
    digest = hmac.new((secret or f"{key}-secret").encode(), text.encode(), hashlib.sha256)
    values = {
        "clientId": key,
        "timestamp": timestamp,
        "nonce": nonce,
        "signature": base64.b64encode(digest.digest()).decode(),
        **more,
    }
    listed = ", ".join(f'{name}="{value}"' for name, value in values.items())
    return {"Authorization": f"http://platform.example/hmac/v2/v1 {listed}"}
