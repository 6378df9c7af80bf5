"""deploy/: the dashboard and the alerts ask for nothing that a server does not tell."""

import json
import re
import shutil
import subprocess

import pytest
import yaml

from config.tests.servers import ROOT
from config.tests.waiting import eventually
from platform_errors.tests.documents_of import code_block

ALERTS = ROOT / "deploy" / "prometheus-alerts.yml"
DASHBOARD = ROOT / "deploy" / "grafana-dashboard.json"
SELECTED = re.compile(r"\b(platform_[a-z_]+)(?:\{([^}]*)\})?")
GROUPED = re.compile(r"\bby \(([a-z_, ]+)\)")
FROM_PROMETHEUS = {"instance", "le"}


def anchors(page):
    """Return what links into a page may name: its headings, and its ids."""
    text = page.read_text(encoding="utf-8")
    titles = re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


def rules():
    groups = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels():
    drawn = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    return [panel for panel in drawn if panel["type"] != "row"]


def expressions():
    return [rule["expr"] for rule in rules()] + [
        target["expr"] for panel in panels() for target in panel["targets"]
    ]


@pytest.fixture(scope="module")
def scraped(monitored):
    """Return what a server tells that has refused somebody, and looked at itself since."""
    assert monitored.server.http.get(monitored.server.identity).status_code == 401
    assert monitored.server.http.get(f"{monitored.server.events_root}/events").is_success
    eventually(lambda: "platform_server_requests" in monitored.scrape().names)
    return monitored.scrape()


def test_every_metric_that_is_asked_for_is_told_by_a_server(scraped):
    asked = {name for text in expressions() for name, _ in SELECTED.findall(text)}

    assert len(asked) > 20
    assert asked - scraped.names == set()


def test_every_label_that_is_asked_for_is_one_of_the_metric(scraped):
    unknown = []
    for text in expressions():
        known = set()
        for name, selector in SELECTED.findall(text):
            labels = {
                label
                for sample in scraped.samples
                if sample.name == name
                for label in sample.labels
            }
            known |= labels
            asked = set(re.findall(r"([a-z_]+)(?:=~|!~|!=|=)", selector))
            unknown += [(name, one) for one in asked - labels - FROM_PROMETHEUS]
        grouped = {one for part in GROUPED.findall(text) for one in part.split(", ")}
        unknown += [(text, one) for one in grouped - known - FROM_PROMETHEUS]
    assert unknown == []


def test_nothing_that_a_server_tells_is_left_out_of_the_dashboard(scraped):
    shown = {
        re.sub(r"_(bucket|count|sum|total)$", "", name)
        for panel in panels()
        for target in panel["targets"]
        for name, _ in SELECTED.findall(target["expr"])
    }

    assert set(scraped.families) - shown == set()


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_an_alert_says_what_happens_and_where_to_read_on(rule):
    place, _, advice = rule["annotations"]["runbook"].partition(": ")
    page, _, anchor = place.partition("#")

    assert rule["annotations"]["summary"].endswith(".")
    assert rule["labels"]["severity"] in {"page", "ticket"}
    assert anchor in anchors(ROOT / page)
    assert advice.endswith(".")


def test_the_alert_about_one_server_names_the_job_of_the_page():
    page = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
    (scraped,) = yaml.safe_load(code_block(page, "yaml"))["scrape_configs"]
    (asked,) = (rule["expr"] for rule in rules() if rule["alert"] == "PlatformServerSilent")

    assert asked == f'up{{job="{scraped["job_name"]}"}} == 0'


def test_the_alerts_are_rules_of_prometheus():
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool (Debian: prometheus) is not installed")

    checked = subprocess.run(
        [promtool, "check", "rules", str(ALERTS)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.returncode == 0, checked.stdout + checked.stderr
