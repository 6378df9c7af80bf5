"""The front door; the demo client joins it when the demo is on."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
