"""Webhooks: from the log of changes to signed messages, and what becomes of them."""
