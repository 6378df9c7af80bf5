"""Fields that refer to other records: by id, list, CSV, nested object or URL (decisions 7).

``services.references`` looks up what they name; its ``BadReference`` says why something
cannot be used, and ``Input`` reports it.
"""

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
    is_blank,
)
from calendar_events.services import references
from calendar_events.services.changesets import ImageUrl
from calendar_events.services.references import BadReference

MOST = 100
"""More references than this in one field are a mistake."""
MOST_PARTS = 1000
"""So many with the empty ones, which do not count: ``1,,2``."""
MOST_NEW = 20
"""More new venues or organizers than this in one event are a mistake."""
REFERENCE = {"oneOf": [{"type": "integer"}, {"type": "string"}]}


class ReferenceField(Clearable):
    """What may be empty in more ways: ``[]``, ``{}``, ``0`` and ``false`` are nothing."""

    blanks = ([], {}, 0, "0")


class LinkField(ReferenceField):
    """Several records that an event is linked to, looked up with those of other fields."""

    kind: ClassVar[str]
    """Of the records: a key of ``kind_for``."""
    default_error_messages: ClassVar[Messages] = {
        "many": "must not name more than {most} records.",
    }

    @property
    def cleared(self) -> list[Any]:
        return []

    def items(self, data: Any) -> list[Any]:
        """Return a list, the parts of a CSV or the one value, without empty parts."""
        if isinstance(data, str):
            data = data.split(",", MOST_PARTS)
        parts = data if isinstance(data, list) else [data]
        items = [item for item in parts if not is_blank(item)]
        if len(parts) > MOST_PARTS or len(items) > MOST:
            self.fail("many", most=MOST)
        return items

    def resolve(self, value: list[Any], rows: references.NamedRows) -> list[Any]:
        """Return what services take of the value. Raises ``BadReference``."""
        for item in value:
            if isinstance(item, int):
                rows.require(self.kind, item)
        return value


@extend_schema_field(
    {"oneOf": [*REFERENCE["oneOf"], {"type": "array", "items": REFERENCE}]}
)
class TermList(LinkField):
    """Categories or tags by id, slug, name or object with an id."""

    NAME_LENGTH = 200
    kind: ClassVar[Taxonomy]
    default_error_messages: ClassVar[Messages] = {
        "term": "must be a list of identifiers, slugs or names.",
        "object": "holds a term without an id.",
        "name": "holds a name that is empty or longer than {limit} characters.",
    }

    def to_internal_value(self, data: Any) -> list[int | str]:
        return [self.token(item) for item in self.items(data)]

    def resolve(self, value: list[Any], rows: references.NamedRows) -> list[Any]:
        return references.name_terms(value, taxonomy=self.kind, rows=rows)

    def token(self, item: Any) -> int | str:
        identifier = as_identifier(item.get("id") if isinstance(item, dict) else item)
        if isinstance(item, dict) and not identifier:
            self.fail("object")
        if identifier is not None:
            return identifier
        if not isinstance(item, str):
            self.fail("term")
        name = text.plain(item[: 20 * self.NAME_LENGTH])
        if not 0 < len(name) <= self.NAME_LENGTH:
            self.fail("name", limit=self.NAME_LENGTH)
        return name


class CategoryList(TermList):
    kind = Taxonomy.CATEGORY


class TagList(TermList):
    kind = Taxonomy.TAG


class LinkedRecords(LinkField):
    """Venues or organizers: by id, or as new ones that the event brings with it.

    A nested object without an id reuses an existing record only when every given field
    agrees; otherwise it is a new one (decisions 7).
    """

    serializer: ClassVar[type[Serializer]]
    """The input of a record that the event brings along."""
    default_error_messages: ClassVar[Messages] = {
        "linked": "must be identifiers or objects.",
        "new": "must not bring more than {most} new records.",
        "tags": "must not bring more than {most} tags of HTML.",
    }

    def to_internal_value(self, data: Any) -> list[Any]:
        items = self.items(data)
        new = [item for item in items if isinstance(item, dict) and not item.get("id")]
        if len(new) > MOST_NEW:
            self.fail("new", most=MOST_NEW)
        texts = [value for item in new for value in item.values() if isinstance(value, str)]
        if sum(map(count_tags, texts)) > conf.max_tags:
            self.fail("tags", most=conf.max_tags)
        return [self.one(item) for item in items]

    def one(self, item: Any) -> Any:
        """Return one item as an identifier or as a new record. Raises ``BadReference``."""
        pk = item.get("id") if isinstance(item, dict) else item
        if identifier := as_identifier(pk):
            return identifier
        if not isinstance(item, dict) or not is_blank(pk):
            self.fail("linked")
        nested = self.serializer(data=item, context=self.context)
        if not nested.is_valid():
            name, reasons = next(iter(nested.errors.items()))
            raise BadReference(f"holds an object whose {name} {reasons[0]}")
        return nested.validated_data


@extend_schema_field({"oneOf": [*REFERENCE["oneOf"], {"type": "boolean", "enum": [False]}]})
class ImageReference(ReferenceField):
    """An image: its id, its own object, or the URL of a picture to fetch."""

    cleared = None
    default_error_messages: ClassVar[Messages] = {
        "image": "must be the identifier of an image or an http address of one.",
    }

    def to_internal_value(self, data: Any) -> Image | ImageUrl:
        institution = self.context["actor"].institution
        identifier = as_identifier(data.get("id") if isinstance(data, dict) else data)
        if identifier is not None:
            return references.find_image(identifier, institution=institution)
        url = data.strip() if isinstance(data, str) else ""
        if not url.startswith(("http://", "https://")):
            self.fail("image")
        ours = f"{conf.public_url}{default_storage.url('')}"
        if url.startswith(ours):
            name = unquote(url.removeprefix(ours))
            image = references.find_stored_image(name, institution=institution)
            return image or ImageUrl(url)
        return ImageUrl(url)


@extend_schema_field(OpenApiTypes.INT)
class AuthorReference(Identifier):
    """The author: a user of the writer's institution."""

    def __init__(self, *, model: type[Event | Venue | Organizer], **options: Any) -> None:
        self.model = model
        super().__init__(clearable=False, **options)

    def to_internal_value(self, data: Any) -> int:
        return references.find_author(
            super().to_internal_value(data),
            actor=self.context["actor"],
            model=self.model,
            current=self.stored.author_id if self.stored else None,
        )


class ParentReference(Identifier):
    """The parent of a category; ``0`` is the top of the tree."""

    def to_internal_value(self, data: Any) -> int:
        pk = super().to_internal_value(data)
        institution = self.context["actor"].institution
        rows = references.find({Taxonomy.CATEGORY: [pk]}, institution=institution)
        rows.require(Taxonomy.CATEGORY, pk)
        return pk
