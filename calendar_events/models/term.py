"""Terms: event categories, which form a tree, and event tags, which do not."""

from django.db import models
from django.db.models import F, Q
from simple_history.models import HistoricalRecords

from calendar_events.models.fields import SubstringIndex
from calendar_events.models.querysets.terms import TermQuerySet
from calendar_events.models.record import StateManager
from calendar_events.models.rendered import Rendered
from calendar_events.models.visibility import Taxonomy


class Term(Rendered):
    """A category or a tag (spec 2.6); both share one sequence of identifiers."""

    taxonomy = models.CharField(max_length=20, choices=Taxonomy)
    institution = models.CharField(max_length=64)
    name = models.CharField(max_length=200)
    slug = models.CharField(max_length=255)
    description = models.TextField(blank=True, default="")
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children"
    )

    history = HistoricalRecords(
        excluded_fields=Rendered.rendered_fields, history_manager=StateManager
    )

    objects = TermQuerySet.as_manager()

    class Meta:
        base_manager_name = "objects"
        constraints = [
            models.UniqueConstraint(
                fields=["taxonomy", "institution", "slug"], name="term_slug_is_unique"
            ),
            models.CheckConstraint(
                condition=Q(taxonomy__in=Taxonomy.values), name="term_taxonomy_is_known"
            ),
            models.CheckConstraint(
                condition=Q(parent__isnull=True) | ~Q(parent=F("id")),
                name="term_is_not_its_own_parent",
            ),
            models.CheckConstraint(
                condition=Q(parent__isnull=True) | Q(taxonomy=Taxonomy.CATEGORY),
                name="term_only_categories_have_parents",
            ),
            models.CheckConstraint(
                condition=~Q(name="") & ~Q(slug="") & ~Q(institution=""),
                name="term_has_name_slug_institution",
            ),
        ]
        indexes = [
            SubstringIndex("term_search"),
            models.Index(fields=["taxonomy", "slug"], name="term_by_slug"),
            models.Index(fields=["taxonomy", "sort_text", "id"], name="term_by_name"),
            # "Which have changed since?", also of events by what they embed.
            models.Index(fields=["modified_at", "id"], name="term_modified"),
        ]
        permissions = [
            ("manage_categories", "Can create, change and delete categories"),
            ("manage_tags", "Can create, change and delete tags"),
        ]

    def searched_texts(self) -> list[str]:
        return [self.name, self.slug]

    def __str__(self) -> str:
        return f"{self.name} ({self.get_taxonomy_display()} {self.pk})"
