"""The registry of kinds says of each type what its viewset serves."""

from __future__ import annotations

import pytest

from calendar_events.api.root import LISTS
from calendar_events.models import Event, Organizer, Taxonomy, Term, Venue
from calendar_events.models.kinds import KINDS, kind_for, kind_of


@pytest.mark.parametrize(("kind", "viewset"), list(zip(KINDS, LISTS, strict=True)))
def test_every_kind_has_a_viewset_that_uses_its_words(kind, viewset):
    assert (viewset.kind, viewset.resource) == (kind.singular, kind.plural)
    assert viewset.queryset.model is kind.model
    assert getattr(viewset, "taxonomy", None) == kind.taxonomy


@pytest.mark.parametrize(
    ("record", "plural"),
    [
        (Event(), "events"),
        (Venue(), "venues"),
        (Organizer(), "organizers"),
        (Term(taxonomy=Taxonomy.TAG), "tags"),
        (Term(taxonomy="tribe_events_cat"), "categories"),
    ],
)
def test_a_record_tells_its_kind(record, plural):
    kind = kind_of(record)

    assert kind.plural == plural
    assert kind_for(kind.singular) is kind
