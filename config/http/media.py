"""Uploaded pictures, served by the application itself.

A proxy may serve ``MEDIA_ROOT`` instead and be quicker. What lies there was decoded as a
picture before it was stored (``calendar_events``), and goes out with headers that let a
browser take it for nothing else (``config.http.headers``).
"""

from django.conf import settings
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.views.decorators.http import require_safe
from django.views.static import serve

from config.http.headers import UPLOADED_FILES


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
    for header, value in UPLOADED_FILES.items():
        response.headers[header] = value
    return response


urlpatterns: list[URLPattern] = [path("<path:name>", picture, name="media")]
