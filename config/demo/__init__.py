"""The demonstration (``DEMO=1``): its cast, its keys and its client."""
