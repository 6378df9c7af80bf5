"""What the serializers of documents have in common, and the images that they carry."""

from functools import cache
from typing import Any

from django.utils.functional import cached_property
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from calendar_events.documents import addresses
from calendar_events.documents.fields import FileAddress, Html, JsonLd, Moment, SiteMoment
from calendar_events.models import Image, Status

PUBLICATION = (
    *("author", "status", "date", "date_utc", "modified", "modified_utc", "url"),
)
"""The fields that say who published a record and when; they stand together."""


class Document(serializers.ModelSerializer):
    """A row as it is answered.

    Its ``to_representation`` gives the part that is stored, when the row is written. The
    OpenAPI document describes the same fields.
    """

    def build_standard_field(
        self, field_name: str, model_field: Any
    ) -> tuple[type[serializers.Field], dict[str, Any]]:
        """Return the field for a column without what holds for input alone.

        That is its lengths, validators and defaults: what is answered is always there.
        """
        field_class, _ = super().build_standard_field(field_name, model_field)
        return field_class, {}

    @cached_property
    def optional(self) -> list[str]:
        """Return the fields that are left out when they are empty."""
        return [name for name, field in self.fields.items() if not field.required]

    def to_representation(self, instance: Any) -> dict[str, Any]:
        document = super().to_representation(instance)
        for name in self.optional:
            if name in document and document[name] in ("", None):
                del document[name]
        return document

    def columns(self, record: Any) -> dict[str, str]:
        return {"fragment": addresses.members(self.to_representation(record))}


# A serializer copies its fields when it is made, which takes longer than all that they do.
@cache
def serializer_of(document: type[Document]) -> Document:
    """Return the one serializer of a class that this process makes."""
    return document()


class Published(Document):
    """What events, venues and organizers share."""

    author = serializers.IntegerField(source="author_id")
    status = serializers.ChoiceField(choices=Status.values)
    date = SiteMoment(source="published_at", help_text="In the zone of the site.")
    date_utc = Moment(source="published_at")
    modified = SiteMoment(source="modified_at", help_text="In the zone of the site.")
    modified_utc = Moment(source="modified_at")
    description = Html(help_text="HTML.")
    json_ld = JsonLd(required=False, help_text="In single answers.")


ImageSize = extend_schema_serializer(component_name="ImageSize")(
    type(
        "ImageSize",
        (serializers.Serializer,),
        {
            "__doc__": "One size of an image.",
            "__module__": __name__,
            "width": serializers.IntegerField(),
            "height": serializers.IntegerField(),
            "mime-type": serializers.CharField(),
            "filesize": serializers.IntegerField(),
            "url": FileAddress(source="file"),
        },
    )
)
"""Made by ``type``: one of its members has a name that is none in Python."""


class Extension(serializers.CharField):
    """What follows the last full stop of a file's name, in lower case."""

    def to_representation(self, name: str) -> str:
        return name.rpartition(".")[2].lower()


@extend_schema_serializer(component_name="Image")
class ImageDocument(Document):
    """An image."""

    url = FileAddress(source="file.name")
    extension = Extension(source="file.name")
    sizes = serializers.DictField(child=ImageSize())

    class Meta:
        model = Image
        fields = ("url", "id", "extension", "width", "height", "filesize", "sizes")
