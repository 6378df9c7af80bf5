"""Metrics, the access log and traces: what the server tells of its own work.

The apps send signals and know nothing of this; ``docs/monitoring.md`` names every figure.
"""
