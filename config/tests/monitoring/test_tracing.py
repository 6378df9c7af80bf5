"""Traces: what spans hold, what they do not, and who may continue one."""

import http.server
import re
import subprocess
import sys
import threading

import pytest
from django.db import connection
from django.http import HttpResponse
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from config.monitoring import tracing
from config.tests import servers
from config.tests.prepared import clean_environment
from config.tests.signer import signed
from config.tests.waiting import eventually

pytestmark = pytest.mark.processes

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
WITHOUT = """
import sys
sys.modules["opentelemetry"] = None
import django
django.setup()
from config.wsgi import application
"""


@pytest.fixture(scope="module")
def exporter():
    """Collect the spans of this process."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace.set_tracer_provider(provider)
    return kept


@pytest.fixture
def spans(exporter, db):
    """Return a function that serves a request with a view and returns the spans."""
    tracing.watch(connection)
    wrappers = connection.execute_wrappers

    def serve(request, view):
        exporter.clear()
        request.resolver_match = None
        tracing.TracingMiddleware(view)(request)
        return exporter.get_finished_spans()

    yield serve
    wrappers.remove(tracing.traced)


def view_that_asks(_request):
    with connection.cursor() as cursor:
        cursor.execute("SELECT CAST(%s AS text)", ["planted-value-secret"])
    return HttpResponse(status=503, headers={"x-svc-Reason": "unavailable"})


def test_a_request_is_a_span_and_its_statements_are_below_it(rf, spans):
    query = "code=planted-query-secret&code_verifier=planted-verifier-secret"
    request = rf.get(f"/planted-path-secret?{query}", headers={"user-agent": "a secret"})

    statement, whole = spans(request, view_that_asks)

    assert whole.name == "GET unresolved"
    assert whole.attributes["http.response.status_code"] == 503
    assert whole.attributes["platform.reason"] == "unavailable"
    assert whole.status.status_code is trace.StatusCode.ERROR
    assert statement.parent.span_id == whole.context.span_id
    assert statement.attributes["db.query.text"] == "SELECT CAST(%s AS text)"
    assert request.trace_id == trace.format_trace_id(whole.context.trace_id)
    assert "secret" not in whole.to_json() + statement.to_json()


@pytest.mark.parametrize("text", ["SELECT 1", "\n  SELECT\n1", ""])
def test_the_span_of_a_statement_has_the_name_of_its_first_word(text, rf, spans):
    def view(_request):
        tracing.traced(print, text, (), False, {"connection": connection})
        return HttpResponse()

    statement, _ = spans(rf.get("/"), view)

    assert statement.name == ("SELECT" if text else "statement")


def test_an_error_of_the_database_marks_the_span_and_is_not_quoted(rf, spans):
    def refuse(*_arguments):
        raise ValueError("planted-value-secret")

    def view(_request):
        with pytest.raises(ValueError, match="planted"):
            tracing.traced(refuse, "SELECT 1", (), False, {"connection": connection})
        return HttpResponse()

    statement, _ = spans(rf.get("/"), view)

    assert statement.status.status_code is trace.StatusCode.ERROR
    assert "secret" not in statement.to_json()


def test_a_statement_outside_of_a_request_is_no_span(exporter, spans):
    exporter.clear()

    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")

    assert exporter.get_finished_spans() == ()


@pytest.mark.parametrize(("proxies", "continues"), [([], False), (["127.0.0.1"], True)])
def test_a_trace_is_continued_for_a_trusted_proxy_alone(
    rf, spans, settings, proxies, continues
):
    settings.PLATFORM_ERRORS = {**settings.PLATFORM_ERRORS, "TRUSTED_PROXIES": proxies}

    (whole,) = spans(rf.get("/", headers={"traceparent": PARENT}), lambda _: HttpResponse())

    assert (trace.format_trace_id(whole.context.trace_id) in PARENT) is continues


class Collector(http.server.BaseHTTPRequestHandler):
    """Keeps what is sent to it, as the collector of a monitoring does."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append(body)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_arguments):
        pass


def spans_in(bodies):
    return [
        span
        for body in bodies
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def test_a_server_sends_its_traces_and_its_log_names_them(tmp_path):
    collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    collector.received = []
    threading.Thread(target=collector.serve_forever, args=[0.02], daemon=True).start()

    def named(name):
        return [span for span in spans_in(collector.received) if span.name == name]

    variables = {
        "TRACES": "1",
        "LOG_FORMAT": "json",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        "OTEL_BSP_SCHEDULE_DELAY": "100",
    }
    try:
        with servers.demo_server(tmp_path, WORKERS="1", **variables) as running:
            url = f"{running.events_root}/events?search=planted-query-secret"
            header = signed("GET", url)
            assert running.http.get(url, headers=header).status_code == 200
            eventually(lambda: named("GET calendar_events:events"))
            log = running.log.read_text(encoding="utf-8")
    finally:
        collector.shutdown()
        collector.server_close()

    received, found = b"".join(collector.received), spans_in(collector.received)
    requests = named("GET calendar_events:events")
    assert len(requests) == 1
    assert f'"trace_id":"{requests[0].trace_id.hex()}"' in log
    below = [span for span in found if span.parent_span_id == requests[0].span_id]
    assert len(below) > 1
    signature = re.search(r'signature="([^"]+)"', header["Authorization"])[1]
    for secret in ("planted-query-secret", signature):
        assert secret.encode() not in received


def test_without_the_library_the_start_says_what_is_missing():
    finished = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=servers.ROOT,
        env=clean_environment(TRACES="1", DJANGO_SETTINGS_MODULE="config.settings"),
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.returncode == 1
    assert "requirements-tracing.txt" in finished.stderr
