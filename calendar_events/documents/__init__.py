"""The documents: the only package that knows what an answer looks like.

A record is rendered once, when it is written, by its serializer (``events``, ``places``,
``terms``), of which drf-spectacular also makes the OpenAPI description. The
JSON text is stored beside the record (the *fragment*), as are its text in feeds and its
``json_ld``. Reading a page is then a few queries and a concatenation. Two things are left
open in what is stored:

- addresses, because host and mount are settings: ``addresses.fill`` puts them in;
- what belongs to other rows (venues, organizers, terms, their counts): ``composition``
  joins the fragments of those rows.

``store.saving`` calls ``columns`` on every write; nothing else has to.
"""

from calendar_events.documents.rendering import columns, term_answer

__all__ = ["columns", "term_answer"]
