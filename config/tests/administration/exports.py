"""Asking for exports in admin, and fetching them."""

import json

from django.urls import reverse

from authserver.models import Job
from config.tests.administration import pages


def ask(someone, kind="jsonl", query=""):
    address = reverse("admin:authserver_auditevent_export", args=[kind])
    return someone.post(f"{address}{query}")


def download(someone, job):
    return someone.get(pages.of(job, "download"))


def lines(response):
    text = b"".join(response.streaming_content).decode()
    return [json.loads(line) for line in text.splitlines()]


def only():
    return Job.objects.get()
