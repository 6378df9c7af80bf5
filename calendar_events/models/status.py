"""The statuses of the wire."""

from __future__ import annotations

from django.db import models


class Status(models.TextChoices):
    """The statuses of the wire (decisions 7).

    ``future`` is never stored: it is ``publish`` with a publication moment that has not
    come, so that time publishes a record without anybody writing to it.
    """

    PUBLISH = "publish", "Published"
    FUTURE = "future", "Scheduled"
    DRAFT = "draft", "Draft"
    PENDING = "pending", "Pending review"
    PRIVATE = "private", "Private"
    TRASH = "trash", "Trash"
