"""Endpoints for programs: strict, uncached, never HTML."""
