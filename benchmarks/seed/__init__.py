"""A calendar of any size, always the same for its size and day, and who calls it.

Rows are made as ``calendar_events.store.saving`` makes them (``test_benchmarks.py`` holds
that), but are copied into the database in bulk.
"""
