"""Metrics, the access log and traces.

The apps send signals and know nothing of this; ``docs/monitoring.md`` names every figure.
"""
