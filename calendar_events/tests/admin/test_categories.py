"""The tree of categories in the form of an event."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from lxml import html

from calendar_events.admin import record_forms
from calendar_events.admin.record_forms import in_order
from calendar_events.models import Event, Term
from calendar_events.models.guard import store_writes
from calendar_events.tests.admin.test_admin import problems, shown
from calendar_events.tests.admin.test_desk import desk_of, url
from calendar_events.tests.factories import CategoryFactory, EventFactory, TagFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


@pytest.fixture
def tree():
    arts = CategoryFactory(name="Arts", sort_text="arts")
    music = CategoryFactory(name="Music", sort_text="music", parent=arts)
    return {
        "Arts": arts,
        "Music": music,
        "Jazz": CategoryFactory(name="Jazz", sort_text="jazz", parent=music),
        "Sport": CategoryFactory(name="Sport", sort_text="sport"),
    }


def boxes(client, event):
    """Return the categories in their order, with their depths, and those ticked."""
    page = client.get(url(Event, "change", event.pk))
    found = html.fromstring(page.content).xpath("//div[starts-with(@class,'desk-depth-')]")
    depths = [
        (each.text_content().strip(), int(each.get("class").rpartition("-")[2]))
        for each in found
    ]
    ticked = {
        each.text_content().strip() for each in found if each.xpath(".//input[@checked]")
    }
    return depths, ticked


def test_categories_stand_under_their_parents(editor, tree):
    CategoryFactory(name="Elsewhere", institution="1002")
    event = EventFactory(terms=[tree["Jazz"], TagFactory()])

    depths, ticked = boxes(editor, event)

    assert depths == [("Arts", 0), ("Music", 1), ("Jazz", 2), ("Sport", 0)]
    assert ticked == {"Jazz"}


def test_categories_are_ticked_and_tags_are_kept(editor, tree):
    tag = TagFactory()
    event = EventFactory(terms=[tree["Jazz"], tag])

    sent = shown(editor, event)
    ticked = {"in_categories": [tree["Arts"].pk, tree["Sport"].pk]}
    editor.post(url(Event, "change", event.pk), sent | ticked)
    assert set(event.terms.all()) == {tree["Arts"], tree["Sport"], tag}
    editor.post(
        url(Event, "change", event.pk), shown(editor, event) | {"in_categories": []}
    )

    assert set(event.terms.all()) == {tag}


@pytest.mark.parametrize("sent", ["x", "-1", "9" * 30, "4711"])
def test_what_is_no_category_of_the_institution_is_refused(editor, tree, sent):
    event = EventFactory()
    there = CategoryFactory(institution="1002")

    for value in (sent, there.pk, TagFactory().pk):
        answer = editor.post(
            url(Event, "change", event.pk),
            shown(editor, event) | {"in_categories": [value]},
        )
        assert "in_categories" in problems(answer)

    assert not event.terms.exists()


def test_too_many_are_searched_for(editor, tree, monkeypatch):
    monkeypatch.setattr(record_forms, "MOST", 3)
    event = EventFactory(terms=[tree["Jazz"]])

    depths, _ = boxes(editor, event)
    editor.post(url(Event, "change", event.pk), shown(editor, event))

    assert depths == []
    assert set(event.terms.all()) == {tree["Jazz"]}


def test_a_circle_and_a_foreign_parent_hide_nothing(tree):
    there = CategoryFactory(institution="1002", name="There", sort_text="there")
    with store_writes():
        Term.objects.filter(pk=tree["Arts"].pk).update(parent=tree["Jazz"])
        Term.objects.filter(pk=tree["Sport"].pk).update(parent=there)
    terms = list(Term.objects.filter(institution="1001").order_by("sort_text"))

    found = [(term.name, depth) for term, depth in in_order(terms)]

    assert found[0] == ("Sport", 0)
    assert sorted(name for name, _ in found) == ["Arts", "Jazz", "Music", "Sport"]


def test_the_form_costs_the_same_however_many_there_are(editor, tree):
    event = EventFactory()

    def cost():
        with CaptureQueriesContext(connection) as statements:
            editor.get(url(Event, "change", event.pk))
        return len(statements)

    cost()  # once: content types are remembered, and the session is written back
    few = cost()
    CategoryFactory.create_batch(20)

    assert cost() == few
