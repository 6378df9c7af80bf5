"""The probe in place of the project's own addresses."""

from django.urls import path

from benchmarks.yardsticks.probes import Probe
from platform_errors.authentication import BearerAuthentication, HmacAuthentication

urlpatterns = [
    path("probe/none", Probe.as_view()),
    path("probe/bearer", Probe.as_view(authentication_classes=[BearerAuthentication])),
    path("probe/signed", Probe.as_view(authentication_classes=[HmacAuthentication])),
]
