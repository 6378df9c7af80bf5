"""Series: events that repeat, each date of which is an event of its own."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import models

from calendar_events.conf import conf
from calendar_events.models.fields import WallClockField
from calendar_events.parsing import dates, recurrence, recurrence_words, zones
from calendar_events.parsing.recurrence_dates import Pattern


class Series(models.Model):
    """What the dates of an event that repeats have in common.

    The dates are rows of ``Event``, as far as ``horizon``. What is shown of an occurrence
    is in its own row, so that lists need not look here.
    """

    institution = models.CharField(max_length=64)
    rule = models.CharField(max_length=500, blank=True, default="")
    """The rule (RFC 5545) as ``parsing.recurrence`` stores it; empty for single dates."""
    rdates = models.JSONField(default=list, blank=True)
    exdates = models.JSONField(default=list, blank=True)
    """Dates besides those of the rule, and dates that are left out; wall clocks."""
    timezone = models.CharField(max_length=64)
    all_day = models.BooleanField(default=False)
    start_local = WallClockField()
    end_local = WallClockField()
    """The first date."""
    dates = models.PositiveIntegerField(default=0)
    """How many dates have got their position, those left out too."""
    total = models.PositiveIntegerField(null=True, blank=True)
    """How many there will be; empty for a rule without an end."""
    horizon = models.DateTimeField()
    """As far as this there are occurrences."""
    sequence = models.PositiveBigIntegerField(default=0)
    """Counts the writes of the series and of its occurrences."""
    created_at = models.DateTimeField()
    modified_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "series"
        default_permissions = ()
        indexes = [models.Index(fields=["horizon", "id"], name="series_horizon")]

    def __str__(self) -> str:
        return f"series {self.pk}"

    @property
    def pattern(self) -> Pattern:
        """When the series is."""
        return Pattern(
            start=self.start_local,
            rule=recurrence.stored(self.rule),
            rdates=tuple(map(datetime.fromisoformat, self.rdates)),
            exdates=frozenset(map(datetime.fromisoformat, self.exdates)),
        )

    @pattern.setter
    def pattern(self, pattern: Pattern) -> None:
        length = self.end_local - self.start_local
        self.start_local, self.end_local = pattern.start, pattern.start + length
        self.rule = str(pattern.rule) if pattern.rule else ""
        self.rdates = _written(pattern.rdates)
        self.exdates = _written(pattern.exdates)

    @property
    def rule_text(self) -> str:
        """The rule as calendars write it; empty for single dates."""
        rule = recurrence.stored(self.rule)
        if rule is None:
            return ""
        return rule.rfc(zones.zone(self.timezone), all_day=self.all_day)

    @property
    def words(self) -> str:
        """The rule in words."""
        rule = recurrence.stored(self.rule)
        return recurrence_words.words(rule, single=len(self.rdates))

    @property
    def notice(self) -> str:
        """Which dates do not exist yet, and why; empty where all do."""
        if self.total is not None and self.dates >= self.total:
            return ""
        most = conf.series_max_occurrences
        if self.dates >= most:
            return f"A series has at most {most} dates: no further ones are added."
        reach = f"Its dates exist as far as {self.horizon:%Y-%m-%d}"
        return f"{reach}; further ones are added as time goes on."

    def is_excluded(self, wall: datetime) -> bool:
        """Return whether a date is left out."""
        return dates.written(wall) in self.exdates

    def exclude(self, wall: datetime) -> None:
        """Leave a date out."""
        self.exdates = sorted({*self.exdates, dates.written(wall)})

    def include(self, wall: datetime) -> None:
        """Leave a date out no longer."""
        self.exdates = [one for one in self.exdates if one != dates.written(wall)]

    def touch(self, now: datetime) -> None:
        """Count a write."""
        self.sequence += 1
        self.modified_at = now


def _written(walls: Iterable[datetime]) -> list[str]:
    return sorted(map(dates.written, walls))
