"""Whether an event takes place as planned, and who may see where it is online."""

from django.db import models
from django.db.models import TextChoices


class EventStatus(TextChoices):
    """What became of the plan; schema.org calls it ``eventStatus``."""

    SCHEDULED = "scheduled", "As planned"
    CANCELLED = "cancelled", "Cancelled"
    POSTPONED = "postponed", "Postponed"
    MOVED_ONLINE = "moved_online", "Moved online"


class AttendanceMode(TextChoices):
    """How people take part."""

    OFFLINE = "offline", "At its place"
    ONLINE = "online", "Online"
    MIXED = "mixed", "Both"


class Audience(TextChoices):
    """Who sees the online address, besides those who may change the event."""

    EVERYBODY = "everybody", "Everybody"
    INSTITUTION = "institution", "People of the institution"


class Standing(models.Model):
    """The columns of an event that say so."""

    event_status = models.CharField(
        "takes place",
        max_length=12,
        choices=EventStatus,
        default=EventStatus.SCHEDULED,
        db_default=EventStatus.SCHEDULED.value,
    )
    status_reason = models.CharField(
        "reason",
        max_length=500,
        blank=True,
        default="",
        db_default="",
        help_text="For readers: why it is cancelled or postponed.",
    )
    previous_start_utc = models.DateTimeField(null=True, blank=True, editable=False)
    """When a postponed event was to begin, once it has another date."""
    attendance_mode = models.CharField(
        "taking part",
        max_length=8,
        choices=AttendanceMode,
        blank=True,
        default="",
        db_default="",
    )
    online_address = models.CharField(
        max_length=2048, blank=True, default="", db_default=""
    )
    online_audience = models.CharField(
        "online address for",
        max_length=12,
        choices=Audience,
        default=Audience.EVERYBODY,
        db_default=Audience.EVERYBODY.value,
    )
    online_from = models.DateTimeField(
        "online address from (UTC)",
        null=True,
        blank=True,
        help_text="Until then only those who may change the event see it.",
    )

    class Meta:
        abstract = True

    @property
    def is_online_address_open(self) -> bool:
        """Whether everybody may see the online address, at any time."""
        return self.online_audience == Audience.EVERYBODY and self.online_from is None
