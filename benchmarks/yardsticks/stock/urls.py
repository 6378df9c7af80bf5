"""The toolkit's endpoints, and two views that do nothing else than ask who is calling."""

from django.urls import include, path
from oauth2_provider.contrib.rest_framework import OAuth2Authentication

from benchmarks.yardsticks.probes import Probe

urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("probe/none", Probe.as_view()),
    path("probe/bearer", Probe.as_view(authentication_classes=[OAuth2Authentication])),
]
