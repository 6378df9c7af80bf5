"""The server object ``application``: that of ``config.wsgi`` behind an event loop.

``manage.py serve`` runs it. Any WSGI server can run ``config.wsgi:application`` instead; it
then needs a proxy in front that receives whole bodies and buffers answers.
"""

from __future__ import annotations

from django.db import connections

from calendar_events.conf import conf
from config.serving.gateway import Gateway, Lanes, Limits
from config.serving.lanes import Lane
from config.serving.worker import die_with_parent, drop_stalled_connections
from config.wsgi import application as wsgi_application  # sets Django up, so it comes first

from config.background import worker  # isort: skip
from config.monitoring import exporter, sampling  # isort: skip
from django.conf import settings  # isort: skip

die_with_parent()


def make_lanes() -> Lanes:
    """Return the lanes of this process."""
    drop_stalled_connections(settings.SEND_PAUSE_SECONDS)
    threads = settings.THREADS
    close = connections.close_all
    return Lanes(
        files=Lane(threads=2, at_once=2, patience=30),
        reads=Lane(threads=threads, on_thread_end=close),
        writes=Lane(threads=threads, on_thread_end=close),
        streams=Lane(threads=2, patience=60, on_thread_end=close),
    )


def is_file(path: str) -> bool:
    """Return whether a path is answered without the database."""
    return path.startswith((settings.STATIC_URL, settings.MEDIA_URL)) or path in {
        "/health/live",
        "/favicon.ico",
        "/robots.txt",
    }


application = Gateway(
    wsgi_application,
    limits=Limits(
        body_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        upload_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE + conf.image_max_bytes,
        held_bytes=settings.HELD_BODIES_BYTES,
        body_pause=settings.BODY_PAUSE_SECONDS,
        body_total=settings.BODY_TOTAL_SECONDS,
        send_pause=settings.SEND_PAUSE_SECONDS,
    ),
    make_lanes=make_lanes,
    is_file=is_file,
)


def requests_in_lanes() -> dict[str, tuple[int, int]]:
    """Return how many requests run and wait, by lane; nothing before the first request."""
    lanes = application.lanes._asdict() if application.lanes is not None else {}
    return {name: (lane.running, lane.waiting) for name, lane in lanes.items()}


if settings.EMBEDDED_WORKER:
    worker.start_thread()
if settings.METRICS_PORT:
    sampling.start(requests_in_lanes)
    exporter.start(settings.METRICS_HOST, settings.METRICS_PORT)
