"""docs/monitoring.md names every metric and every field, and nothing else."""

from config.monitoring import access_log, metrics
from platform_errors.tests.documents_of import docs, table

SUFFIX = {"counter": "_total"}


def test_the_table_of_metrics_has_every_metric_with_its_kind_and_labels():
    counted = {
        metric._name + SUFFIX.get(metric._type, ""): (metric._type, [*metric._labelnames])
        for metric in set(metrics.REGISTRY._collector_to_names)
    }

    rows = {
        name.strip("`"): (
            kind,
            [] if labels == "none" else [part.strip("`") for part in labels.split(", ")],
        )
        for name, kind, labels, _ in table(docs("monitoring.md"), "metric")
    }

    assert rows == counted


def test_the_table_of_fields_has_every_field_in_its_order():
    fields = [row[0].strip("`") for row in table(docs("monitoring.md"), "field")]

    assert fields == ["time", "logger", *access_log.Line.__annotations__]
