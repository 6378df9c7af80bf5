"""Exports and changes of many rows: asked for, and done in the background."""
