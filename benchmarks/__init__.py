"""What the server costs, measured against yardsticks in the same run (``make bench``).

Only ratios within one run mean anything: absolute figures drift by a third between
machines and between hours. So every endpoint is measured in turns with yardsticks that
answer the same JSON, on the same database:

- ``floor_rows``: no framework; raw psycopg, rows assembled in Python, orjson;
- ``idiomatic``: Django REST framework as its tutorial teaches it;
- ``stock``: an untouched django-oauth-toolkit, for tokens and bearer authentication.

Nothing here is imported by the product.
"""
