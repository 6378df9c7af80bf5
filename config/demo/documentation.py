"""The documentation as a site (``make docs``), below ``/docs/`` of a demonstration."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.views.generic import RedirectView
from django.views.static import serve

SITE = Path(settings.BASE_DIR, ".make/site")
_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def page(request: HttpRequest, name: str) -> HttpResponseBase:
    """Return a file of the site. Raises ``Http404``."""
    served: Any = serve
    view: Any = csp_update({"script-src": script_hashes(), "worker-src": ["'self'"]})(
        served
    )
    response: HttpResponseBase = view(request, name, document_root=SITE)
    return response


@cache
def script_hashes() -> list[str]:
    """Return the sources of a policy for the scripts that stand in the pages themselves."""
    scripts = {
        script
        for file in SITE.rglob("*.html")
        for script in _SCRIPT.findall(file.read_bytes())
    }
    return sorted(f"'sha256-{b64encode(sha256(one).digest()).decode()}'" for one in scripts)


urlpatterns: list[URLPattern] = [
    path("docs", RedirectView.as_view(pattern_name="documentation")),
    path("docs/", page, {"name": "index.html"}, name="documentation"),
    path("docs/<path:name>", page),
]
