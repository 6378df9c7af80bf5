"""Signed requests: the pure algorithm, what callers assert, and used nonces."""
