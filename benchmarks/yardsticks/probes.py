"""A view that does nothing but touch its caller: what authentication alone costs."""

from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


class Probe(APIView):
    """Answer whether somebody is calling."""

    authentication_classes = []
    permission_classes = [AllowAny]
    renderer_classes = [JSONRenderer]

    def get(self, request: Request) -> Response:
        """Touch the caller, as a view with permissions does."""
        return Response({"known": request.auth is not None, "user": request.user.pk})
