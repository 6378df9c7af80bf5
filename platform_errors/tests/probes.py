"""Views for tests: everything that can be required, everything that can go wrong."""

from django.http import HttpResponseNotModified
from django.urls import include, path, re_path
from rest_framework.parsers import JSONParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from platform_errors.errors.dialects import PLATFORM, Dialect, register
from platform_errors.models import Nonce
from platform_errors.permissions import (
    RequiresCredentials,
    RequiresInstitution,
    RequiresService,
    RequiresUser,
    RequiresUserPermission,
)
from platform_errors.renderers import XmlRenderer
from platform_errors.tests.factories import PERMISSION, SERVICE
from platform_errors.views import NoSuchResource, PlatformView


class Probe(PlatformView):
    """Reads are open, writes ask for everything."""

    error_dialect = PLATFORM
    renderer_classes = [XmlRenderer, JSONRenderer]
    xml_root = "probe"
    permission_classes = [
        RequiresService.named(SERVICE).with_open_reads(),
        RequiresInstitution.with_open_reads(),
        RequiresUser.with_open_reads(),
        RequiresUserPermission.named(PERMISSION).with_open_reads(),
    ]

    def get(self, request):
        return Response({"user": getattr(request.user, "name", "")})

    def post(self, request):
        return Response({"data": request.data}, status=201)


class ClosedProbe(Probe):
    """Reads ask for everything as well."""

    permission_classes = [
        RequiresService.named(SERVICE),
        RequiresInstitution,
        RequiresUser,
        RequiresUserPermission.named(PERMISSION),
    ]


class CredentialsProbe(Probe):
    """Anybody with credentials."""

    permission_classes = [RequiresCredentials]


class ForgetfulProbe(PlatformView):
    """Says nothing of what it requires."""

    def get(self, request):
        return Response({})


class DrfProbe(Probe):
    """Guarded by DRF's own permission, as a view that knows nothing of ours."""

    permission_classes = [IsAuthenticated]


class Failing(PlatformView):
    """Raises what the test put into ``failure``."""

    authentication_classes = ()
    permission_classes = ()
    error_dialect = PLATFORM
    renderer_classes = [XmlRenderer, JSONRenderer]
    xml_root = "failing"
    failure: type[Exception] | Exception = RuntimeError("internal matter")

    def get(self, request, **address):
        raise self.failure

    def post(self, request):
        return Response(request.data)

    def put(self, request):
        return Response(request.data)


class Writing(Failing):
    """Writes the only kind of row that this app has."""

    def get(self, request):
        return HttpResponseNotModified()

    def put(self, request):
        with self.atomic():
            Nonce.objects.create(client_id="written", timestamp=1, nonce="n")
        return Response({})


class DrfParsing(Failing):
    """Reads bodies with DRF's own parser, as a view may choose to."""

    parser_classes = [JSONParser]


def broken_view(request):
    """A view outside of DRF that breaks."""
    raise type(Failing.failure)(*Failing.failure.args)


class TerseDialect(Dialect):
    """One that an app of one's own might register."""

    name = "terse"

    def wants_xml(self, accept):
        return False

    def members(self, refusal):
        return {"error": refusal.reason}


TERSE = TerseDialect()
register(TERSE)
handler400 = "platform_errors.errors.django_handlers.bad_request"
handler403 = "platform_errors.errors.django_handlers.permission_denied"
handler404 = "platform_errors.errors.django_handlers.page_not_found"
handler500 = "platform_errors.errors.django_handlers.server_error"

urlpatterns = [
    path("platform/identity/v1", include("platform_errors.urls")),
    path("platform/probe", Probe.as_view()),
    path("platform/closed", ClosedProbe.as_view()),
    path("platform/credentials", CredentialsProbe.as_view()),
    path("platform/forgetful", ForgetfulProbe.as_view()),
    path("platform/drf-guarded", DrfProbe.as_view()),
    path("platform/failing", Failing.as_view()),
    path("platform/failing/<str:text>", Failing.as_view()),
    path("platform/writing", Writing.as_view()),
    path("platform/drf", DrfParsing.as_view()),
    path("platform/broken", broken_view),
    path("platform/terse/broken", broken_view),
    re_path(r"^platform/terse/", NoSuchResource.as_view(error_dialect=TERSE)),
    path("broken", broken_view),
]
