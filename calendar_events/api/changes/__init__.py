"""``/changes``: what changed since, for programs that keep a copy."""
