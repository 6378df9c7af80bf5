"""The two kinds of term."""

from django.db import models


class Taxonomy(models.TextChoices):
    """The two kinds of term, by the names of the wire (``taxonomy``)."""

    CATEGORY = "tribe_events_cat", "Category"
    TAG = "post_tag", "Tag"
