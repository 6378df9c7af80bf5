"""Images as documents carry them (contract events 2.2)."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from calendar_events.documents.base import Document
from calendar_events.documents.fields import FileAddress
from calendar_events.models import Image

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
