"""Images of events, venues and organizers."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class Image(models.Model):
    """A stored image and its smaller sizes.

    ``sizes`` maps a name (``thumbnail``, ``medium``, …) to ``{"file", "width", "height",
    "mime-type", "filesize"}``, where ``file`` is the name in the default storage.
    """

    institution = models.CharField(max_length=64, db_index=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    title = models.CharField(max_length=255, blank=True, default="")
    alternative_text = models.CharField(
        max_length=500,
        blank=True,
        default="",
        db_default="",
        help_text="What the picture shows, for those who do not see it.",
    )
    file = models.ImageField(
        upload_to="images/%Y/%m",
        max_length=255,
        width_field="width",
        height_field="height",
    )
    width = models.PositiveIntegerField(editable=False, default=0)
    height = models.PositiveIntegerField(editable=False, default=0)
    filesize = models.PositiveBigIntegerField(editable=False, default=0)
    mime_type = models.CharField(max_length=100, editable=False, default="")
    sizes = models.JSONField(default=dict, editable=False, blank=True)
    source_url = models.CharField(max_length=2048, blank=True, default="", editable=False)
    """Where it was fetched from, when a write gave an address."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(institution=""), name="image_has_institution"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title or self.file.name} ({self.pk})"
