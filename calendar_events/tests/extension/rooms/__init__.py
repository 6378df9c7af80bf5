"""A project's app with a sixth type of record."""
