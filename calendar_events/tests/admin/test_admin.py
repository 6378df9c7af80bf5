"""Django admin of the calendar: the same rules, and what only it may set."""

import pytest
from django.contrib import admin
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from calendar_events.admin.events import EventAdmin
from calendar_events.admin.forms import CHANGED_MEANWHILE
from calendar_events.models import Event, Image, Organizer, Status, Taxonomy, Term, Venue
from calendar_events.tests.callers import caller
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    IdempotentAnswerFactory,
    ImageFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)
from calendar_events.tests.web import picture

pytestmark = pytest.mark.django_db

MODELS = [
    model for model in admin.site._registry if model._meta.app_label == "calendar_events"
]
EVENT = {
    "institution": "1001",
    "title": "Evening",
    "start_date": "2031-01-15 19:00:00",
    "end_date": "2031-01-15 21:00:00",
    "status": "publish",
    "show_map": "on",
}


@pytest.fixture
def administrator():
    user = UserFactory(is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(user)
    client.user = user
    return client


def url(model, page, *args):
    return reverse(f"admin:calendar_events_{model._meta.model_name}_{page}", args=args)


def shown(client, record):
    """Return what the form of a record shows, ready to be sent back."""
    return shown_at(client, url(type(record), "change", record.pk))


def shown_at(client, address):
    """Return what a form shows."""
    form = client.get(address).context["adminform"].form
    values = {}
    for name in form.fields:
        value = form[name].value()
        if value is True:
            values[name] = "on"
        elif isinstance(value, list):
            values[name] = [getattr(item, "pk", item) for item in value]
        elif value not in (None, False):
            values[name] = getattr(value, "pk", value)
    return values


def problems(response):
    """Return what the form says, by field."""
    assert response.status_code == 200
    form = response.context["adminform"].form
    return {name: list(reasons) for name, reasons in form.errors.items()}


def test_every_model_has_an_admin():
    from django.apps import apps  # noqa: PLC0415 -- one use

    ours = {
        model
        for model in apps.get_app_config("calendar_events").get_models()
        if model._meta.managed  # what triggers write nobody needs to see
        and not model.__name__.startswith(  # attempts are shown with their message
            ("Historical", "EventVenue", "EventOrg", "EventTerm", "WebhookAttempt")
        )
    }

    assert set(MODELS) == ours


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_list_is_shown_and_searched(administrator, model):
    EventFactory(venues=[VenueFactory()], organizers=[OrganizerFactory()])
    CategoryFactory()
    ImageFactory()
    IdempotentAnswerFactory()

    for query in ("", "?q=evening", "?q=1", "?q=99999999999999999999"):
        assert administrator.get(f"{url(model, 'changelist')}{query}").status_code == 200


def test_search_is_folded_like_that_of_the_interface(administrator):
    EventFactory(title="Café Müller")
    EventFactory(title="Other")

    response = administrator.get(f"{url(Event, 'changelist')}?q=CAFE+muller")

    assert [event.title for event in response.context["cl"].result_list] == ["Café Müller"]


def test_a_search_is_for_twenty_words_however_many_are_typed(administrator):
    words = [f"word{number}" for number in range(20)]
    EventFactory(title=f"Evening {' '.join(words)}")

    response = administrator.get(
        url(Event, "changelist"), {"q": " ".join([*words * 30, "absent"])}
    )

    assert response.context["cl"].result_count == 1


def test_an_event_is_created_with_what_follows_from_it(administrator):
    venues, organizer = VenueFactory.create_batch(2), OrganizerFactory()
    category, tag = CategoryFactory(), TagFactory()

    response = administrator.post(
        url(Event, "add"),
        {
            **EVENT,
            "title": "<b>Evening</b>",
            "timezone": "europe/berlin",
            "description": "Words<script>x()</script>",
            "cost": "12",
            "at_venues": [venues[1].pk, venues[0].pk],
            "by_organizers": [organizer.pk],
            "in_terms": [category.pk, tag.pk],
        },
    )

    event = Event.objects.get()
    assert response.status_code == 302
    assert (event.title, event.slug, event.timezone) == (
        "Evening",
        "evening",
        "Europe/Berlin",
    )
    assert f"{event.start_utc:%H:%M}" == "18:00"
    assert event.description == "<p>Words</p>"
    assert event.author == administrator.user
    linked = event.venues.order_by("eventvenue__position")
    assert list(linked) == [venues[1], venues[0]]
    assert set(event.terms.all()) == {category, tag}
    assert '"cost":"$12"' in event.fragment


@pytest.mark.parametrize(
    ("changes", "bad"),
    [
        ({"title": ""}, ["title"]),
        ({"start_date": "no date"}, ["start_date"]),
        ({"end_date": "2030-01-01"}, ["end_date"]),
        ({"timezone": "Mars/Olympus", "website": "foo"}, ["timezone", "website"]),
        ({"institution": ""}, ["institution"]),
        ({"slug": "!!!"}, ["slug"]),
        ({"date_utc": "foo"}, ["date_utc"]),
    ],
)
def test_what_the_interface_refuses_is_refused_beside_the_field(
    administrator, changes, bad
):
    response = administrator.post(url(Event, "add"), {**EVENT, **changes})

    assert sorted(problems(response)) == bad
    assert Event.objects.count() == 0


def test_a_reason_is_a_sentence_of_its_own_beside_its_field(administrator):
    response = administrator.post(
        url(Event, "add"), {**EVENT, "start_date": "no date", "website": "foo"}
    )

    found = {name: reason for name, (reason,) in problems(response).items()}
    assert found["start_date"].startswith("This is not a date.")
    assert found["website"].startswith("This must be")


def test_a_venue_of_another_institution_is_refused(administrator):
    foreign = VenueFactory(institution="1002")

    response = administrator.post(url(Event, "add"), {**EVENT, "at_venues": [foreign.pk]})

    assert list(problems(response)) == ["at_venues"]


def test_the_shown_form_sent_back_changes_nothing(administrator):
    record = EventFactory(
        venues=[VenueFactory()], terms=[TagFactory()], description="<p>Words</p>"
    )
    before = Event.objects.values().get()

    response = administrator.post(
        url(Event, "change", record.pk), shown(administrator, record)
    )

    written = {"version", "modified_at", "fragment", "feed_text"}
    after = Event.objects.values().get()
    assert response.status_code == 302
    assert {name for name in after if after[name] != before[name]} <= written
    assert (record.venues.count(), record.terms.count()) == (1, 1)


def test_password_and_parent_are_set_here(administrator):
    parent, record = EventFactory.create_batch(2)
    form = {**shown(administrator, record), "password": "sesame", "post_parent": parent.pk}

    administrator.post(url(Event, "change", record.pk), form)

    record.refresh_from_db()
    assert (record.password, record.post_parent) == ("sesame", parent)
    assert record.protected_fragment != ""


def test_an_event_is_not_its_own_parent(administrator):
    record = EventFactory()
    form = {**shown(administrator, record), "post_parent": record.pk}

    response = administrator.post(url(Event, "change", record.pk), form)

    assert list(problems(response)) == ["post_parent"]


def test_a_change_on_an_old_copy_is_refused_with_words(administrator):
    record = EventFactory()
    form = shown(administrator, record)
    administrator.post(url(Event, "change", record.pk), {**form, "title": "First"})

    response = administrator.post(
        url(Event, "change", record.pk), {**form, "title": "Second"}
    )

    assert "while you were editing" in str(problems(response))
    assert Event.objects.get().title == "First"


@pytest.mark.parametrize("factory", [EventFactory, VenueFactory, OrganizerFactory])
def test_records_are_moved_to_the_trash_and_restored(administrator, factory):
    record = factory()
    model = type(record)

    administrator.post(
        url(model, "changelist"),
        {"action": "move_to_trash", "_selected_action": [record.pk]},
    )
    trashed = model.objects.get()
    form = {**shown(administrator, trashed), "status": "publish"}
    administrator.post(url(model, "change", record.pk), form)

    assert (trashed.status, trashed.slug) == (Status.TRASH, f"{record.slug}__trashed")
    assert model.objects.get().status == Status.PUBLISH


@pytest.mark.parametrize(
    "factory", [EventFactory, VenueFactory, OrganizerFactory, CategoryFactory, TagFactory]
)
@pytest.mark.parametrize("way", ["one", "several"])
def test_records_are_deleted_for_good(administrator, factory, way):
    record = factory()
    model = type(record)

    if way == "one":
        administrator.post(url(model, "delete", record.pk), {"post": "yes"})
    else:
        administrator.post(
            url(model, "changelist"),
            {"action": "delete_selected", "_selected_action": [record.pk], "post": "yes"},
        )

    assert model.objects.count() == 0
    assert model.history.latest().history_type == "-"


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (Venue, {"name": "Hall", "status": "publish", "state": "OH"}),
        (Organizer, {"name": "Club", "status": "draft", "email": "club@club.example"}),
        (Term, {"name": "Music", "taxonomy": Taxonomy.CATEGORY}),
        (Term, {"name": "outdoor", "taxonomy": Taxonomy.TAG}),
    ],
)
def test_other_records_are_created_and_changed(administrator, model, fields):
    administrator.post(url(model, "add"), {"institution": "1001", **fields})
    record = model.objects.get()

    form = {**shown(administrator, record), "name": "Renamed"}
    response = administrator.post(url(model, "change", record.pk), form)

    record.refresh_from_db()
    assert (response.status_code, record.name, record.version) == (302, "Renamed", 2)


def test_a_name_that_a_sibling_has_is_refused_with_words(administrator):
    CategoryFactory(name="Music")

    response = administrator.post(
        url(Term, "add"),
        {"institution": "1001", "name": "music", "taxonomy": Taxonomy.CATEGORY},
        follow=True,
    )

    assert "has this name and the same parent" in response.content.decode()
    assert Term.objects.count() == 1


def test_a_tag_has_no_parent(administrator):
    parent = CategoryFactory()

    administrator.post(
        url(Term, "add"),
        {
            "institution": "1001",
            "name": "outdoor",
            "taxonomy": Taxonomy.TAG,
            "parent": parent.pk,
        },
    )

    assert Term.objects.tags().get().parent is None


# --- History ------------------------------------------------------------------------------


def test_the_history_tells_who_changed_what_when_and_how(administrator, editor):
    record = editor.post("/venues", {"venue": "Hall"}).json()
    venue = Venue.objects.get()
    administrator.post(
        url(Venue, "change", venue.pk), {**shown(administrator, venue), "city": "Rome"}
    )

    changed, created = venue.history.all()
    page = administrator.get(url(Venue, "history", record["id"])).content.decode()
    assert (created.history_user, created.history_type) == (editor.user, "+")
    assert created.history_change_reason == "service key key-1001"
    assert (changed.history_user, changed.history_type) == (administrator.user, "~")
    assert changed.diff_against(created).changed_fields.count("city") == 1
    for text in (str(editor.user), str(administrator.user), "Rome", "service key key-1001"):
        assert text in page


def test_the_history_of_an_event_says_in_words_what_it_was_linked_to(administrator):
    record = EventFactory(venues=[VenueFactory(name="Hall"), VenueFactory(name="Annex")])

    page = administrator.get(url(Event, "history", record.pk)).content.decode()

    assert "from <del>nothing</del> to <ins>Hall, Annex</ins>" in page


def test_an_earlier_state_is_restored_from_the_history(administrator):
    venue = VenueFactory(name="Hall", city="Rome")
    first = venue.history.latest()
    administrator.post(
        url(Venue, "change", venue.pk),
        {**shown(administrator, venue), "name": "Wrong", "city": "Wrong"},
    )

    revert = url(Venue, "simple_history", venue.pk, first.pk)
    response = administrator.post(revert, shown_at(administrator, revert))

    venue.refresh_from_db()
    assert response.status_code == 302
    assert (venue.name, venue.city, venue.version) == ("Hall", "Rome", 3)
    assert '"venue":"Hall"' in venue.fragment


def test_the_history_of_an_event_restores_its_links(administrator):
    venue, tag, other = VenueFactory(), TagFactory(), TagFactory()
    event = EventFactory(venues=[venue], terms=[tag])
    first = event.history.latest()
    form = shown(administrator, event)
    administrator.post(
        url(Event, "change", event.pk), {**form, "at_venues": [], "in_terms": [other.pk]}
    )

    page = administrator.get(url(Event, "history", event.pk)).content.decode()
    revert = url(Event, "simple_history", event.pk, first.pk)
    administrator.post(revert, shown_at(administrator, revert))

    states = [state.linked for state in event.history.all()]
    assert f"from <del>{venue.name}</del> to <ins>nothing</ins>" in page
    assert f"from <del>{tag.name}</del> to <ins>{other.name}</ins>" in page
    assert (list(event.venues.all()), list(event.terms.all())) == ([venue], [tag])
    assert states == [
        {"venues": [venue.pk], "organizers": [], "terms": [tag.pk]},
        {"venues": [], "organizers": [], "terms": [other.pk]},
        {"venues": [venue.pk], "organizers": [], "terms": [tag.pk]},
    ]


def test_a_write_that_says_nothing_of_links_keeps_them_in_the_history(editor):
    event = EventFactory(
        venues=[VenueFactory()], organizers=OrganizerFactory.create_batch(2)
    )
    before = event.history.latest().linked

    editor.put(f"/events/{event.pk}", {"title": "Other"})
    editor.put(f"/events/{event.pk}", {"tags": []})
    editor.delete(f"/events/{event.pk}?force=true")

    assert [state.linked for state in Event.history.all()] == [before] * 4


def test_a_record_that_was_deleted_for_good_is_made_again_from_its_history(administrator):
    organizer = OrganizerFactory(name="Club")
    pk, kept = organizer.pk, organizer.history.latest()
    administrator.post(url(Organizer, "delete", pk), {"post": "yes"})

    revert = url(Organizer, "simple_history", pk, kept.pk)
    administrator.post(revert, shown_at(administrator, revert))

    assert Organizer.objects.get().name == "Club"


# --- Images -------------------------------------------------------------------------------


def upload(content, name="Hall.png"):
    return SimpleUploadedFile(name, content, content_type="image/png")


def test_an_image_is_uploaded_with_its_sizes(administrator):
    administrator.post(
        url(Image, "add"),
        {"institution": "1001", "title": "The hall", "upload": upload(picture(400, 300))},
    )

    image = Image.objects.get()
    assert (image.title, image.width, image.author) == ("The hall", 400, administrator.user)
    assert sorted(image.sizes) == ["medium", "thumbnail"]
    assert default_storage.exists(image.file.name)


@pytest.mark.parametrize("content", [b"<svg/>", b"", picture()[:20]])
def test_an_upload_that_is_no_picture_is_refused(administrator, content):
    response = administrator.post(
        url(Image, "add"), {"institution": "1001", "upload": upload(content)}
    )

    assert list(problems(response)) == ["upload"]


def test_an_upload_that_is_too_large_is_refused(administrator, settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "IMAGE_MAX_BYTES": 10}

    response = administrator.post(
        url(Image, "add"), {"institution": "1001", "upload": upload(picture())}
    )

    assert list(problems(response)) == ["upload"]


def test_only_the_title_of_an_image_changes(administrator):
    image = ImageFactory()

    administrator.post(url(Image, "change", image.pk), {"title": "New", "institution": "9"})

    image.refresh_from_db()
    assert (image.title, image.institution) == ("New", "1001")


@pytest.mark.parametrize("way", ["one", "several"])
def test_an_image_is_deleted_with_its_files(
    administrator, django_capture_on_commit_callbacks, way
):
    image = ImageFactory()
    name = image.file.name

    with django_capture_on_commit_callbacks(execute=True):
        if way == "one":
            administrator.post(url(Image, "delete", image.pk), {"post": "yes"})
        else:
            administrator.post(
                url(Image, "changelist"),
                {
                    "action": "delete_selected",
                    "_selected_action": [image.pk],
                    "post": "yes",
                },
            )

    assert (Image.objects.count(), default_storage.exists(name)) == (0, False)


def test_an_image_that_is_shown_is_not_deleted(administrator):
    image = ImageFactory()
    EventFactory(image=image)

    administrator.post(url(Image, "delete", image.pk), {"post": "yes"})

    assert Image.objects.count() == 1


# --- Who may come in ----------------------------------------------------------------------


def test_who_may_not_change_others_records_is_refused_here_too():
    user = UserFactory(is_staff=True, roles=["author"])
    client = Client()
    client.force_login(user)
    record = EventFactory()

    response = client.post(url(Event, "change", record.pk), shown(client, record))

    assert response.status_code == 403
    assert Event.objects.get().version == 1


def test_what_is_changed_between_the_check_of_a_form_and_its_save_is_left(
    administrator, monkeypatch
):
    event, save = EventFactory(), EventAdmin.save_model
    sent = shown(administrator, event) | {"title": "Mine"}

    def be_slower(self, *args):
        caller("editor").patch(f"/events/{event.pk}", {"title": "Theirs"})
        return save(self, *args)

    monkeypatch.setattr(EventAdmin, "save_model", be_slower)
    answer = administrator.post(url(Event, "change", event.pk), sent, follow=True)

    assert CHANGED_MEANWHILE in answer.content.decode()
    assert Event.objects.get().title != "Mine"
