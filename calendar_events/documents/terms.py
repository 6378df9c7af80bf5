"""Categories and tags, in both forms (contract events 2.5)."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from calendar_events.documents import addresses
from calendar_events.documents.addresses import Address
from calendar_events.documents.base import Document, serializer_of
from calendar_events.documents.fields import (
    AddressField,
    ConstantInteger,
    ConstantList,
    ConstantText,
    PlainText,
)
from calendar_events.models import Taxonomy, Term
from calendar_events.models.kinds import KINDS

_COLLECTIONS = {kind.taxonomy: kind.plural for kind in KINDS}


class TermAddress(AddressField):
    """An address whose path may name the ``collection`` of the term."""

    def to_representation(self, term: Any) -> Address:
        path = self.path.format(term, collection=_COLLECTIONS[term.taxonomy])
        return Address(self.marker, path)


class TermUrls(serializers.Serializer):
    """Where a term is."""

    self = TermAddress("/{collection}/{0.id}")
    collection = TermAddress("/{collection}")
    up = TermAddress(
        "/{collection}/{0.parent_id}",
        required=False,
        help_text="The parent, if there is one.",
    )

    def to_representation(self, term: Any) -> dict[str, Any]:
        urls = super().to_representation(term)
        if not term.parent_id:
            del urls["up"]
        return urls


class ParentId(serializers.IntegerField):
    """The identifier of the category above."""

    def get_attribute(self, instance: Any) -> int:
        """Return 0 for none, of which a serializer would make null."""
        return super().get_attribute(instance) or 0


class ParentOfCategory(ParentId):
    """The identifier of the category above; tags have no such member."""

    def get_attribute(self, instance: Any) -> int:
        if instance.taxonomy != Taxonomy.CATEGORY:
            raise serializers.SkipField
        return super().get_attribute(instance)


@extend_schema_serializer(component_name="Term")
class TermDocument(Document):
    """A category or a tag. What only one of its two forms has is optional."""

    taxonomy = serializers.ChoiceField(choices=Taxonomy.values)
    count = serializers.IntegerField(
        source="number", help_text="How many published events have it."
    )
    parent = ParentId(  # type: ignore[assignment]  # DRF takes it off the class
        source="parent_id", required=False, help_text="0 for none."
    )
    urls = TermUrls(source="*")
    url = TermAddress(
        "/events?{collection}={0.slug}", required=False, help_text="Its events."
    )
    meta = ConstantList([], required=False, child=serializers.JSONField(), max_length=0)
    term_group = ConstantInteger(0, required=False)
    term_taxonomy_id = serializers.IntegerField(source="id", required=False)
    filter = ConstantText("raw", required=False)

    class Meta:
        model = Term
        fields: tuple[str, ...] = (
            *("id", "name", "slug", "taxonomy", "description", "count", "parent", "urls"),
            *("url", "meta", "term_group", "term_taxonomy_id", "filter"),
        )

    def columns(self, record: Any) -> dict[str, str]:
        """Return the term as events carry it."""
        carried = serializer_of(CarriedTerm).to_representation(record)
        return {"fragment": addresses.members(carried)}


class CarriedTerm(TermDocument):
    """A term as events carry it; ``composition`` puts the count behind it."""

    description = PlainText()

    class Meta(TermDocument.Meta):
        fields = (
            *("name", "slug", "term_group", "term_taxonomy_id", "taxonomy"),
            *("description", "parent", "filter", "id", "urls"),
        )


class OwnTerm(TermDocument):
    """A term as its own answer, with the number of its events."""

    parent = ParentOfCategory(source="parent_id")

    class Meta(TermDocument.Meta):
        fields = (
            *("id", "count", "description", "name", "slug", "taxonomy", "parent"),
            *("meta", "url", "urls"),
        )
