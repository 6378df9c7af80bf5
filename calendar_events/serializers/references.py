"""Fields that refer to other records: by id, list, CSV, nested object or URL (decisions 7).

A field only reads what was written; whether the records exist is asked of
``services.references``, once for the whole list.
"""

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import unquote

from django.core.files.storage import default_storage
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework.serializers import Serializer

from calendar_events.conf import conf
from calendar_events.models import Event, Image, Organizer, Taxonomy, Venue
from calendar_events.parsing import text
from calendar_events.parsing.markup import count_tags
from calendar_events.serializers.fields import (
    Clearable,
    Identifier,
    Messages,
    as_identifier,
)
from calendar_events.services import references
from calendar_events.services.inputs import ImageUrl, NewOrganizer, NewVenue

MOST = 100
"""More references than this in one field are a mistake."""

MOST_PARTS = 1000
"""So many with the empty ones, which do not count: ``1,,2``."""

MOST_NEW = 20
"""More new venues or organizers than this in one event are a mistake."""


class ReferenceField(Clearable):
    """What may be empty in more ways: ``[]``, ``{}``, ``0`` and ``false`` are nothing."""

    default_error_messages: ClassVar[Messages] = {
        "many": "must not name more than {most} records.",
    }

    def is_blank(self, data: Any) -> bool:
        """Return whether the value says "nothing"."""
        return super().is_blank(data) or data in ([], {}, 0, "0")

    def items(self, data: Any) -> list[Any]:
        """Return a list, the parts of a CSV or the one value, without empty parts."""
        if isinstance(data, str):
            data = data.split(",", MOST_PARTS)
        given = data if isinstance(data, list) else [data]
        if len(given) > MOST_PARTS:
            self.fail("many", most=MOST)
        found = [item for item in given if not Clearable.is_blank(self, item)]
        if len(found) > MOST:
            self.fail("many", most=MOST)
        return found


class LinkField(ReferenceField):
    """What an event is linked to; the event asks for all its identifiers at once."""

    names: str
    """Which kind of row: a key of ``kind_for``."""

    @property
    def cleared(self) -> list[Any]:
        return []


REFERENCE = {"oneOf": [{"type": "integer"}, {"type": "string"}]}


@extend_schema_field(
    {"oneOf": [*REFERENCE["oneOf"], {"type": "array", "items": REFERENCE}]}
)
class TermList(LinkField):
    """Categories or tags by id, slug, name or object with an id."""

    NAME_LENGTH = 200
    default_error_messages: ClassVar[Messages] = {
        "term": "must be a list of identifiers, slugs or names.",
        "object": "holds a term without an id.",
        "name": "holds a name that is empty or longer than {limit} characters.",
    }

    def __init__(self, *, taxonomy: Taxonomy, **options: Any) -> None:
        self.names = self.taxonomy = taxonomy
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> list[int | str]:
        """Return identifiers, and words that may be slugs or names."""
        return [self.token(item) for item in self.items(data)]

    def settled(self, value: list[Any], found: references.NamedRows) -> list[Any]:
        """Return identifiers, and the names of terms that are not there yet.

        Raises ``BadReference``.
        """
        return references.name_terms(value, taxonomy=self.taxonomy, rows=found)

    def token(self, item: Any) -> int | str:
        """Return one item as an identifier or as a text."""
        if isinstance(item, dict):
            identifier = as_identifier(item.get("id"))
            if not identifier:
                self.fail("object")
            return identifier
        identifier = as_identifier(item)
        if identifier is not None:
            return identifier
        if not isinstance(item, str):
            self.fail("term")
        name = text.plain(item[: 20 * self.NAME_LENGTH])
        if not 0 < len(name) <= self.NAME_LENGTH:
            self.fail("name", limit=self.NAME_LENGTH)
        return name


class LinkedRecords(LinkField):
    """Venues or organizers: by id, or as new ones that the event brings with it.

    A nested object without an id reuses an existing record only when every given field
    agrees; otherwise it is a new one (decisions 7).
    """

    default_error_messages: ClassVar[Messages] = {
        "linked": "must be identifiers or objects.",
        "new": "must not bring more than {most} new records.",
        "tags": "must not bring more than {most} tags of HTML.",
    }

    def __init__(
        self,
        *,
        model: type[Venue | Organizer],
        serializer: type[Serializer[Any]],
        new: type[NewVenue | NewOrganizer],
        **options: Any,
    ) -> None:
        """Take what reads a record that the event brings, and what services take of it."""
        self.names = str(model._meta.model_name)
        self.serializer = serializer
        self.new = new
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> list[Any]:
        """Return identifiers and new records, in the order given."""
        items = self.items(data)
        new = [item for item in items if isinstance(item, dict) and not item.get("id")]
        if len(new) > MOST_NEW:
            self.fail("new", most=MOST_NEW)
        if sum(map(_count_tags, new)) > conf.max_tags:
            self.fail("tags", most=conf.max_tags)
        return [self.one(item) for item in items]

    def settled(self, value: list[Any], found: references.NamedRows) -> list[Any]:
        """Return the same, once every identifier is known to exist.

        Raises ``BadReference``.
        """
        for item in value:
            if isinstance(item, int):
                found.require(self.names, item)
        return value

    def one(self, item: Any) -> Any:
        """Return one item as an identifier or as a new record."""
        given = item.get("id") if isinstance(item, dict) else item
        identifier = as_identifier(given)
        if identifier:
            return identifier
        if not isinstance(item, dict) or not Clearable.is_blank(self, given):
            self.fail("linked")
        return self.nested(item)

    def nested(self, item: dict[str, Any]) -> Any:
        """Return what a nested object says; whether it is there already, services ask."""
        nested = self.serializer(data=item, context=self.context)
        if not nested.is_valid():
            self.fail("reference", reason=first_reason(nested.errors))
        return self.new(changes=nested.validated_data)


def _count_tags(item: dict[str, Any]) -> int:
    """Return how many tags the texts of a nested object may have."""
    return sum(count_tags(value) for value in item.values() if isinstance(value, str))


@extend_schema_field({"oneOf": [*REFERENCE["oneOf"], {"type": "boolean", "enum": [False]}]})
class ImageReference(ReferenceField):
    """An image: its id, its own object, or the URL of a picture to fetch."""

    cleared = None
    default_error_messages: ClassVar[Messages] = {
        "image": "must be the identifier of an image or an http address of one.",
    }

    def is_blank(self, data: Any) -> bool:
        """Take ``false``, too: so an answer says that there is no image."""
        return data is False or super().is_blank(data)

    def to_internal_value(self, data: Any) -> Image | ImageUrl:
        """Return a stored image, or the address of one that has to be fetched."""
        identifier = as_identifier(data.get("id") if isinstance(data, dict) else data)
        if identifier is not None:
            try:
                return references.find_image(
                    identifier, institution=self.context["actor"].institution
                )
            except references.BadReference as error:
                self.fail("reference", reason=str(error))
        if not isinstance(data, str) or not data.strip().startswith(
            ("http://", "https://")
        ):
            self.fail("image")
        return self.image_at(data.strip()) or ImageUrl(data.strip())

    def image_at(self, url: str) -> Image | None:
        """Return the image whose own address this is, if it is one of ours."""
        base = f"{conf.public_url}{default_storage.url('')}"
        if not url.startswith(base):
            return None
        return references.find_stored_image(
            unquote(url.removeprefix(base)), institution=self.context["actor"].institution
        )


@extend_schema_field(OpenApiTypes.INT)
class AuthorReference(Identifier):
    """The author: a user of the writer's institution."""

    def __init__(self, *, model: type[Event | Venue | Organizer], **options: Any) -> None:
        """Take the kind of record, on which the permission depends."""
        self.model = model
        super().__init__(clearable=False, **options)

    def to_internal_value(self, data: Any) -> int:
        identifier = super().to_internal_value(data)
        current = self.stored
        try:
            return references.find_author(
                identifier,
                actor=self.context["actor"],
                model=self.model,
                current=current.author_id if current else None,
            )
        except references.BadReference as error:
            self.fail("reference", reason=str(error))


class ParentReference(Identifier):
    """The parent of a category; ``0`` is the top of the tree."""

    def to_internal_value(self, data: Any) -> int:
        identifier = super().to_internal_value(data)
        try:
            references.find(
                {Taxonomy.CATEGORY: [identifier]},
                institution=self.context["actor"].institution,
            ).require(Taxonomy.CATEGORY, identifier)
        except references.BadReference as error:
            self.fail("reference", reason=str(error))
        return identifier


def first_reason(errors: Mapping[str, Any]) -> str:
    """Return what is wrong inside a nested object, as one clause."""
    name, reasons = next(iter(errors.items()))
    return f"holds an object whose {name} {reasons[0]}"
