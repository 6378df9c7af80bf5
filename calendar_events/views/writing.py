"""What the viewsets do on POST, PUT, PATCH and DELETE.

Each mixin is joined with its reading half in ``viewsets.py``, where the routes find the
actions by these names: ``create``, ``update`` (PUT, POST, PATCH by id or by slug) and
``destroy``; the address gives ``pk`` or ``slug``.

A write answers with the record as this caller would read it, and its entity tag::

    return answers.record_response(request, event, status=201)

which reads the row again, so it must be saved; ``Location`` is added for 201. Before a
write, ``answers.check_preconditions(request, event)`` holds ``If-Match`` and
``If-Unmodified-Since`` against the record as it is (412). What is deleted for good is
rendered before: ``answer = answers.record_response(request, event)``, then the deletion,
then ``return answer``.
"""

from __future__ import annotations


class EventWrites:
    """Create, change and delete events."""


class VenueWrites:
    """Create, change and delete venues."""


class OrganizerWrites:
    """Create, change and delete organizers."""


class TermWrites:
    """Create, change and delete categories and tags; ``self.taxonomy`` says which."""
