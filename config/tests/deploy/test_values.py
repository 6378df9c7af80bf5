"""Values in ``deploy/`` are in step with the application's, and name what there is."""

import configparser
import re

import psycopg
import pytest
import yaml
from django.conf import settings
from django.core.checks import run_checks

from calendar_events.conf import conf
from config.databases import time_limits
from config.serving.server import STOP_SECONDS
from config.tests import servers
from config.tests.deploy import installation, units
from config.tests.deploy.installation import DEPLOY

SITE = (DEPLOY / "nginx" / "calendar.conf").read_text(encoding="utf-8")
EXAMPLE = (DEPLOY.parent / ".env.example").read_text(encoding="utf-8")
VARIABLES = set(re.findall(r"^#?([A-Z][A-Z0-9_]+)=", EXAMPLE, re.MULTILINE))


def directive(name):
    (value,) = re.findall(rf"^ +{name} (.+);$", SITE, re.MULTILINE)
    return value


def compose():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def kubernetes():
    manifest = yaml.safe_load((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8"))
    return {(item["kind"], item["metadata"]["name"]): item for item in manifest["items"]}


def test_the_proxy_waits_as_long_as_the_application():
    assert directive("client_header_timeout") == f"{settings.HEAD_SECONDS}s"
    assert directive("client_body_timeout") == f"{settings.BODY_PAUSE_SECONDS}s"
    assert directive("send_timeout") == f"{settings.SEND_PAUSE_SECONDS}s"
    assert int(directive("keepalive_timeout")[:-1]) < settings.HEAD_SECONDS


def test_the_proxy_takes_what_the_application_takes_and_no_more():
    largest = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + conf.image_max_bytes
    ingress = kubernetes()["Ingress", "calendar"]["metadata"]["annotations"]

    assert directive("client_max_body_size") == f"{largest // 2**20}m"
    assert largest % 2**20 == 0
    assert ingress["nginx.ingress.kubernetes.io/proxy-body-size"] == directive(
        "client_max_body_size"
    )


def test_the_pool_waits_for_a_statement_as_long_as_the_application():
    statement = settings.DATABASE_POOL_LIMITS["statement_timeout"]

    limit = int(pool_rules()["query_timeout"]) - time_limits.MARGIN_SECONDS

    assert f"{limit}s" == statement


@pytest.mark.skipif(not installation.PGBOUNCER, reason="needs PgBouncer")
@pytest.mark.parametrize("directory", ["pgbouncer", "compose"])
def test_the_pool_obeys_the_rules_that_the_file_of_its_host_includes(directory):
    file = DEPLOY / directory / "pgbouncer.ini"
    database_url = f"postgres://calendar@127.0.0.1:{servers.free_port()}/calendar"
    with (
        installation.pgbouncer(servers.free_port(), database_url, host_file=file) as url,
        psycopg.connect(url, dbname="pgbouncer", autocommit=True) as console,
    ):
        obeyed = {row[0]: row[1] for row in console.execute("SHOW CONFIG")}

    rules = pool_rules()
    assert rules["pool_mode"] == "transaction"
    assert {name: obeyed[name] for name in rules} == rules


def test_the_pool_opens_no_more_files_than_a_service_may():
    rules = pool_rules()
    its_own = 60  # its log, its sockets, names that it looks up

    connections = int(rules["max_client_conn"]) + int(rules["default_pool_size"])

    assert connections + its_own <= 1024


def pool_rules():
    """Return what the shipped file sets; it has no section of its own."""
    rules = configparser.ConfigParser()
    file = DEPLOY / "pgbouncer" / "calendar.ini"
    rules.read_string(f"[rules]\n{file.read_text()}")
    return dict(rules["rules"])


def variables():
    for name in ("calendar.service", "calendar-worker.service"):
        yield from ((name, variable) for variable in units.read(name).environment)
    yield from (("compose", name) for name in compose()["x-application"]["environment"])
    yield from (
        ("kubernetes", name) for name in kubernetes()["ConfigMap", "calendar"]["data"]
    )


def test_every_variable_is_one_that_the_settings_read():
    known = VARIABLES | {"PYTHONPYCACHEPREFIX"}

    unknown = [
        f"{where}: {variable}"
        for where, variable in variables()
        if variable.removesuffix("_FILE") not in known
    ]

    assert unknown == []


def test_every_secret_of_compose_is_handed_to_somebody():
    used = {
        name
        for service in compose()["services"].values()
        for name in service.get("secrets", ())
    }

    assert used == set(compose()["secrets"])


def test_every_file_that_compose_mounts_is_there():
    mounted = [
        volume.split(":")[0]
        for service in compose()["services"].values()
        for volume in service.get("volumes", ())
        if volume.startswith("./")
    ]

    assert len(mounted) == 8
    assert [path for path in mounted if not (DEPLOY / path).is_file()] == []


def test_stop_timeouts_are_longer_than_the_supervisor_needs():
    (unit,) = units.read("calendar.service").settings["TimeoutStopSec"]
    pod = kubernetes()["Deployment", "calendar"]["spec"]["template"]["spec"]
    grace = compose()["services"]["application"]["stop_grace_period"]

    assert int(unit) > STOP_SECONDS
    assert int(grace.removesuffix("s")) > STOP_SECONDS
    assert pod["terminationGracePeriodSeconds"] - 5 > STOP_SECONDS


@pytest.mark.parametrize("kind", ["application", "worker", "clear-expired"])
def test_no_container_of_the_application_can_write_or_gain_rights(kind):
    service = compose()["services"][kind]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_in_kubernetes_nothing_starts_before_somebody_said_which_proxies_to_trust(settings):
    named = kubernetes()["ConfigMap", "calendar"]["data"]["TRUSTED_PROXIES"]
    settings.PLATFORM_ERRORS = {**settings.PLATFORM_ERRORS, "TRUSTED_PROXIES": [named]}

    assert "platform_errors.E007" in {found.id for found in run_checks()}


def test_metrics_are_on_in_containers_and_reached_by_the_monitoring_alone():
    objects = kubernetes()
    pod = objects["Deployment", "calendar"]["spec"]["template"]
    ports = {each["name"]: each["containerPort"] for each in container(pod)["ports"]}
    rules = objects["NetworkPolicy", "calendar"]["spec"]["ingress"]
    from_everywhere = [
        port["port"] for rule in rules if "from" not in rule for port in rule["ports"]
    ]

    for where in (objects["ConfigMap", "calendar"]["data"], compose_environment()):
        assert where["METRICS_HOST"] == "0.0.0.0"  # noqa: S104 -- of the container
        assert where["METRICS_PORT"] == "9464"
    assert ports == {"http": 8000, "metrics": 9464}
    assert pod["metadata"]["annotations"]["prometheus.io/port"] == "9464"
    assert from_everywhere == ["http"]
    assert compose()["services"]["application"]["ports"] == ["127.0.0.1:9464:9464"]


def test_only_nginx_writes_an_access_log_where_it_is_in_front():
    script = (DEPLOY / "install.sh").read_text()

    assert compose_environment()["ACCESS_LOG"] == "0"
    assert "\nACCESS_LOG=0\n" in script
    for host in ("nginx/calendar/host.conf", "compose/host.conf"):
        text = (DEPLOY / host).read_text()
        assert re.search(r"^access_log \S+ calendar;$", text, re.MULTILINE)


def container(pod):
    (application,) = pod["spec"]["containers"]
    return application


def compose_environment():
    return compose()["services"]["application"]["environment"]
