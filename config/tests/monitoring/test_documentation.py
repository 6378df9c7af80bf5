"""docs/monitoring.md names every field of the access log, and nothing else."""

from config.monitoring import access_log
from platform_errors.tests.documents_of import docs, table


def test_the_table_of_fields_has_every_field_in_its_order():
    fields = [row[0].strip("`") for row in table(docs("monitoring.md"), "field")]

    assert fields == ["time", "logger", *access_log.Line.__annotations__]
