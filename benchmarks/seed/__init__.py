"""A calendar of any size, always the same for its size and day.

Rows are made as ``calendar_events.store.saving`` makes them (``tests/test_seed.py`` holds
that), but are copied into the database in bulk.
"""
