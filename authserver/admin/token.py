"""Codes and tokens: who holds what, and an end to it. Their values are stored nowhere."""
