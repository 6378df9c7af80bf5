"""OpenTelemetry traces, by a switch (``TRACES``): a span of each request and statement.

The spans are our own, not those of opentelemetry-instrumentation-django, which hold the
address with its query: codes and tokens travel there. These hold what the access log holds,
and the text of statements, in which values are placeholders.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.monitoring.middleware import method_of, route_of
from platform_errors.conf import conf
from platform_errors.http.client_address import is_trusted
from platform_errors.http.request_id import current_request_id

try:
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import Tracer
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError as error:
    raise ImproperlyConfigured(
        "TRACES is on, and OpenTelemetry is not installed: "
        "uv pip install -r requirements-tracing.txt"
    ) from error


SERVICE = "platform"
MOST_OF_A_STATEMENT = 2000
"""Characters; what a statement asks stands at its beginning."""


@lru_cache(maxsize=1)
def tracer() -> Tracer:
    """Return the tracer of this process, which sends in a background thread.

    A provider that was set already is used. OpenTelemetry's own variables say where to,
    how much and as which service.
    """
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(provider)
    return trace.get_tracer(SERVICE)


class TracingMiddleware:
    """Makes the span of a request; a trusted proxy's trace goes on in it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        """Keep the rest of the chain, and watch the connections to come."""
        self.get_response = get_response
        self.tracer = tracer()
        connection_created.connect(watch, dispatch_uid=__name__)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve; the span ends when the answer is ready, or begins to be streamed."""
        with self.tracer.start_as_current_span(
            method_of(request), context=_context(request), kind=trace.SpanKind.SERVER
        ) as span:
            context = span.get_span_context()
            setattr(request, "trace_id", trace.format_trace_id(context.trace_id))  # noqa: B010
            response = self.get_response(request)
            route = route_of(request)
            span.update_name(f"{method_of(request)} {route}")
            span.set_attributes(
                {
                    "http.request.method": method_of(request),
                    "http.route": route,
                    "http.response.status_code": response.status_code,
                    "platform.reason": response.headers.get(conf.reason_header, ""),
                    "platform.request_id": current_request_id(),
                }
            )
            if response.status_code >= 500:
                span.set_status(trace.StatusCode.ERROR)
            return response


def watch(connection: BaseDatabaseWrapper, **_kwargs: Any) -> None:
    """Make a span of each statement of a connection (``connection_created``)."""
    if traced not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, traced)


def traced(
    execute: Callable[..., Any],
    statement: Any,
    parameters: Any,
    many: bool,  # noqa: FBT001 -- Django's signature
    context: Mapping[str, Any],
) -> Any:
    """Execute a statement of a request. Raises what that raises."""
    if not trace.get_current_span().is_recording():
        return execute(statement, parameters, many, context)
    text = str(statement)[:MOST_OF_A_STATEMENT]
    with tracer().start_as_current_span(
        next(iter(text.split(maxsplit=1)), "statement")[:20],
        kind=trace.SpanKind.CLIENT,
        # An error of a database quotes values.
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        span.set_attributes(
            {
                "db.system.name": context["connection"].vendor,
                "db.namespace": context["connection"].alias,
                "db.query.text": text,
            }
        )
        try:
            return execute(statement, parameters, many, context)
        except Exception:
            span.set_status(trace.StatusCode.ERROR)
            raise


def _context(request: HttpRequest) -> Any:
    """Return the trace that a trusted proxy began; nobody else may continue one."""
    if not is_trusted(request.META.get("REMOTE_ADDR", "")):
        return None
    sent = {"traceparent": request.META.get("HTTP_TRACEPARENT", "")}
    return TraceContextTextMapPropagator().extract(sent)
