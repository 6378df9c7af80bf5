"""The bodies of writes. The documents of answers are in ``documents``."""
