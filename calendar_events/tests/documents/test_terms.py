"""A term's own answer: rendered once, as long as its description is not long."""

import json

import pytest
from django.utils import timezone

from calendar_events.documents import rendering
from calendar_events.models import Taxonomy
from calendar_events.store import singles
from calendar_events.tests.factories import CategoryFactory, TagFactory

pytestmark = pytest.mark.django_db


def row_of(term):
    """Return a term as reads find it."""
    return singles.term_by_id(Taxonomy(term.taxonomy), term.pk, timezone.now())


def test_the_count_of_a_kept_answer_is_the_current_one():
    row = row_of(TagFactory(description='"count":0'))

    texts = [rendering.term_answer(row._replace(number=number)) for number in (0, 7, 12)]

    found = [json.loads(text, strict=False) for text in texts]
    assert [one["count"] for one in found] == [0, 7, 12]
    assert {one["description"] for one in found} == {row.description}


def test_a_kept_answer_ends_with_a_write():
    category = CategoryFactory(name="Before")
    rendering.term_answer(row_of(category))
    category.name = "After"
    category.save(now=timezone.now())

    text = rendering.term_answer(row_of(category))

    assert json.loads(text, strict=False)["name"] == "After"


@pytest.mark.parametrize(("length", "kept"), [(2_000, 1), (2_001, 0)])
def test_answers_with_long_descriptions_are_not_kept(length, kept):
    row = row_of(TagFactory(description="x" * length))
    before = rendering._own_term.cache_info().misses

    rendering.term_answer(row)

    assert rendering._own_term.cache_info().misses == before + kept
