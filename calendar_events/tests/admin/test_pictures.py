"""Pictures in admin: shown small, with words for those who do not see them."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calendar_events.models import Image
from calendar_events.tests.admin.test_desk import FACTORIES, desk_of, url
from calendar_events.tests.factories import ImageFactory
from calendar_events.tests.web import picture

pytestmark = pytest.mark.django_db

WORDS = 'A "shelf" <b>'


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


def test_a_picture_gets_its_words_with_the_upload_and_later(editor):
    upload = SimpleUploadedFile("shelf.png", picture(), "image/png")
    editor.post(
        url(Image, "add"),
        {"institution": "1001", "title": "", "alternative_text": WORDS, "upload": upload},
    )
    image = Image.objects.get()
    assert image.alternative_text == WORDS

    page = editor.get(url(Image, "change", image.pk)).content.decode()
    editor.post(
        url(Image, "change", image.pk), {"title": "Shelf", "alternative_text": "Books"}
    )

    image.refresh_from_db()
    assert 'alt="A &quot;shelf&quot; &lt;b&gt;"' in page
    assert (image.title, image.alternative_text) == ("Shelf", "Books")


def test_words_that_are_too_long_are_refused(editor):
    image = ImageFactory()

    answer = editor.post(
        url(Image, "change", image.pk), {"title": "", "alternative_text": "x" * 10_000}
    )

    assert "at most 500 characters" in answer.content.decode()


@pytest.mark.parametrize("model", FACTORIES)
def test_a_record_shows_its_picture(editor, model):
    image = ImageFactory(alternative_text="A shelf")
    record = FACTORIES[model](image=image)
    bare = FACTORIES[model]()

    page = editor.get(url(model, "change", record.pk)).content.decode()
    other = editor.get(url(model, "change", bare.pk)).content.decode()

    assert 'src="/media/images/thumbnail.png" alt="A shelf"' in page
    assert "desk-thumbnail" not in other


def test_a_picture_without_smaller_sizes_is_shown_itself(editor):
    image = ImageFactory(sizes={})

    page = editor.get(url(Image, "changelist")).content.decode()

    assert f'src="{image.file.url}"' in page


def test_the_list_of_pictures_costs_the_same_however_many_there_are(editor):
    def cost():
        with CaptureQueriesContext(connection) as statements:
            editor.get(url(Image, "changelist"))
        return len(statements)

    ImageFactory()
    cost()  # once: content types are remembered, and the session is written back
    one = cost()
    ImageFactory.create_batch(4)

    assert cost() == one


def test_the_words_are_found(editor):
    image = ImageFactory(alternative_text="A shelf")
    ImageFactory()

    listed = editor.get(url(Image, "changelist"), {"q": "shelf"})

    assert list(listed.context["cl"].result_list) == [image]
