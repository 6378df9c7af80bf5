"""Signals of the edge: a key was used, a key was refused.

Sent when the answer is ready and no transaction is open, once for each request. A receiver
that fails changes nothing about the answer.
"""

from django.dispatch import Signal

key_used = Signal(use_caching=True)
"""A caller proved a key; with ``client_id``."""
request_refused = Signal()
"""A request that names a key was refused; with ``client_id`` (believed or not), ``reason``
(docs/errors.md), and ``status_code``, ``method`` and ``path`` as the log has them."""
