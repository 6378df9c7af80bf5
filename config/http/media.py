"""Uploaded pictures, served by the application itself.

A proxy may serve ``MEDIA_ROOT`` instead and be quicker. What lies there was decoded as a
picture before it was stored (``calendar_events``), and goes out with ``nosniff`` and the
policy for content like every other answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.http import Http404
from django.urls import URLPattern, path
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe
from django.views.static import serve

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

AN_HOUR = 3600


@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponseBase:
    """Answer with the file, or 304 when ``If-Modified-Since`` has not passed.

    Raises ``Http404`` for what is not there, a name that no file can have included, and
    ``SuspiciousFileOperation`` (400) for one that leads elsewhere.
    """
    try:
        response = serve(request, name, document_root=str(settings.MEDIA_ROOT))
    except (OSError, ValueError) as error:
        raise Http404 from error
    patch_cache_control(response, public=True, max_age=AN_HOUR)
    return response


urlpatterns: list[URLPattern] = [path("<path:name>", picture, name="media")]
