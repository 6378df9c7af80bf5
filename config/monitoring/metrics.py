"""Every metric that the processes count (docs/monitoring.md has the table).

Labels have few values: names of routes, statuses, reasons of our own. Never what a caller
sent, a key or an institution: each value is another series, kept for ever.
"""

from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY: Final = CollectorRegistry()
SECONDS: Final = (0.0025, 0.01, 0.05, 0.25, 1, 2.5, 10)
"""Upper bounds of the histograms, few because each is a series of each route.

A read takes a millisecond or two, a time limit is 15 seconds.
"""

requests = Counter(
    "platform_requests",
    "Requests that were answered.",
    ("route", "method", "status"),
    registry=REGISTRY,
)
request_seconds = Histogram(
    "platform_request_seconds",
    "From the request's thread to the answer's last byte, in seconds.",
    ("route",),
    buckets=SECONDS,
    registry=REGISTRY,
)
refusals = Counter(
    "platform_refusals",
    "Requests that were refused with a reason (docs/errors.md).",
    ("reason", "dialect"),
    registry=REGISTRY,
)
logins = Counter("platform_logins", "Attempts to log in.", ("result",), registry=REGISTRY)
tokens_issued = Counter(
    "platform_tokens_issued",
    "Exchanges that ended with an access token.",
    ("grant",),
    registry=REGISTRY,
)
nonces = Counter(
    "platform_nonces",
    "Nonces of signed requests that had everything else right.",
    ("result",),
    registry=REGISTRY,
)
feeds = Gauge(
    "platform_feeds_in_progress",
    "Feeds that are being sent.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
feeds_refused = Counter(
    "platform_feeds_refused",
    "Feeds that were refused because FEEDS_AT_ONCE were being sent.",
    registry=REGISTRY,
)
statement_seconds = Histogram(
    "platform_statement_seconds",
    "Statements, from sending one to its answer, in seconds.",
    ("database",),
    buckets=SECONDS,
    registry=REGISTRY,
)
statement_failures = Counter(
    "platform_statement_failures",
    "Statements that the database did not carry out in time, or at all.",
    ("kind",),
    registry=REGISTRY,
)
connections = Gauge(
    "platform_database_connections",
    "Connections to databases that are open.",
    ("database",),
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
connections_made = Counter(
    "platform_database_connections_made",
    "Connections to databases that were made.",
    ("database",),
    registry=REGISTRY,
)
server_requests = Gauge(
    "platform_server_requests",
    "Requests that have a thread, or wait for one, by kind of thread.",
    ("threads", "state"),
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
workers = Gauge(
    "platform_workers",
    "Worker processes that live.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
worker_starts = Counter(
    "platform_worker_starts",
    "Worker processes that were started, since the server was.",
    registry=REGISTRY,
)
memory = Gauge(
    "platform_memory_bytes",
    "Resident memory of the worker processes together.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
largest_memory = Gauge(
    "platform_largest_worker_memory_bytes",
    "Resident memory of the largest worker process.",
    multiprocess_mode="livemax",
    registry=REGISTRY,
)
cpu_seconds = Counter(
    "platform_cpu_seconds", "Processor time of the worker processes.", registry=REGISTRY
)

# One process asks the database, for all.
_database: dict[str, Any] = {"multiprocess_mode": "livemostrecent", "registry": REGISTRY}
build_info = Gauge(
    "platform_build_info",
    "The versions that run; the value is 1.",
    ("version", "django", "python", "database"),
    **_database,
)
database_up = Gauge(
    "platform_database_up", "Whether the database answered when last asked.", **_database
)
tasks = Gauge("platform_tasks", "Background tasks, by state.", ("state",), **_database)
webhook_messages = Gauge(
    "platform_webhook_messages",
    "Messages to webhooks that wait, or were given up in the last days.",
    ("state",),
    **_database,
)
webhooks = Gauge(
    "platform_webhooks",
    "Webhooks: active, failing, and disabled for that or because of their key.",
    ("state",),
    **_database,
)
oldest_task_seconds = Gauge(
    "platform_oldest_task_seconds",
    "How long the oldest task that could be started has waited.",
    **_database,
)
oldest_expired_seconds = Gauge(
    "platform_oldest_expired_seconds",
    "For how long the oldest stored access token has been expired.",
    **_database,
)

# There from the start: to Prometheus, a series that first appears with 1 has not grown.
for _counter, _values in (
    (logins, ("succeeded", "failed", "locked")),
    (tokens_issued, ("authorization_code", "refresh_token", "client_credentials")),
    (nonces, ("stored", "replayed")),
    (statement_failures, ("statement_timeout", "lock_timeout", "unavailable")),
):
    for _value in _values:
        _counter.labels(_value)
for _dialect in ("platform", "events", "page"):
    refusals.labels("resource_not_found", _dialect)
