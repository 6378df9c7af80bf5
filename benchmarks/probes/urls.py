"""The project's own addresses and the probes beside them."""

from django.urls import include, path

from benchmarks.probes.views import Probe
from platform_errors.authentication import BearerAuthentication, HmacAuthentication

urlpatterns = [
    path("probe/none", Probe.as_view()),
    path("probe/bearer", Probe.as_view(authentication_classes=[BearerAuthentication])),
    path("probe/signed", Probe.as_view(authentication_classes=[HmacAuthentication])),
    path("", include("config.urls")),
]
