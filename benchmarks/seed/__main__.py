"""``python -m benchmarks.seed EVENTS`` migrates and fills the ``DATABASE_URL``."""

from __future__ import annotations

import argparse

import django


def main() -> None:
    """Read the command line and seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("events", type=int)
    options = parser.parse_args()
    django.setup()

    from benchmarks.seed import database  # noqa: PLC0415 -- needs Django

    database.prepare(events=options.events)


if __name__ == "__main__":
    main()
