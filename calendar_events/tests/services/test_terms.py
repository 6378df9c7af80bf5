"""Terms: what is found under the lock."""

from datetime import UTC, datetime

import pytest

from calendar_events.models import Event, Taxonomy, Term
from calendar_events.permissions import NotAllowed
from calendar_events.services import terms
from calendar_events.services.records import trash_record
from calendar_events.store.saving import VersionConflict
from calendar_events.tests.bodies import event
from calendar_events.tests.factories import CategoryFactory, EventFactory, TagFactory

pytestmark = pytest.mark.both_databases

NOW = datetime(2031, 1, 1, 12, tzinfo=UTC)


@pytest.mark.django_db
@pytest.mark.parametrize("taxonomy", Taxonomy)
def test_a_version_that_is_gone_is_noticed_under_the_lock(editor, taxonomy):
    factory = CategoryFactory if taxonomy == Taxonomy.CATEGORY else TagFactory
    term, record = factory(), EventFactory()

    with pytest.raises(VersionConflict):
        terms.update_term(
            actor=editor.actor, term_id=term.pk, changes={}, now=NOW, expected_version=9
        )
    with pytest.raises(VersionConflict):
        terms.delete_term(actor=editor.actor, term_id=term.pk, now=NOW, expected_version=9)
    with pytest.raises(VersionConflict):
        trash_record(Event, actor=editor.actor, pk=record.pk, now=NOW, expected_version=9)


@pytest.mark.django_db
@pytest.mark.parametrize("factory", [CategoryFactory, TagFactory])
def test_a_service_changes_no_term_for_who_may_not_manage_its_kind(author, factory):
    term = factory()

    with pytest.raises(NotAllowed):
        terms.update_term(
            actor=author.actor, term_id=term.pk, changes={"name": "Mine"}, now=NOW
        )
    with pytest.raises(NotAllowed):
        terms.delete_term(actor=author.actor, term_id=term.pk, now=NOW)

    assert Term.objects.get(pk=term.pk).name == term.name


@pytest.mark.django_db
def test_a_name_that_somebody_created_meanwhile_is_used(editor):
    term = TagFactory(name="New")

    found = terms.ensure_terms(
        actor=editor.actor, taxonomy=Taxonomy.TAG, tokens=["new", "newer"], now=NOW
    )

    assert found == [term.pk, Term.objects.get(name="newer").pk]


@pytest.mark.django_db
def test_a_parent_that_was_deleted_meanwhile_is_refused_by_the_service(editor):
    gone = CategoryFactory()
    pk = gone.pk
    gone.delete()

    with pytest.raises(terms.InvalidFields) as caught:
        terms.create_term(
            actor=editor.actor,
            taxonomy=Taxonomy.CATEGORY,
            changes={"name": "Music", "parent": pk},
            now=NOW,
        )

    assert list(caught.value.reasons) == ["parent"]


@pytest.mark.django_db
def test_long_names_that_differ_at_their_end_are_different_terms(editor):
    names = ["ß" * 199 + "a", "ß" * 199 + "b"]

    made = [editor.post("/tags", {"name": name}).json()["id"] for name in names]
    linked = editor.post("/events", event(tags=names)).json()["tags"]

    assert sorted(term["id"] for term in linked) == made
