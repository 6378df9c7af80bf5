"""What searches of events read on PostgreSQL."""

from __future__ import annotations

from django.db import models


class EventSearch(models.Model):
    """The text of an event and the columns by which lists find it (PostgreSQL only).

    Made by the migrations, kept in step with the events by triggers, written by nothing
    else; see ``migrations/sql/search.postgresql.sql``.
    """

    id = models.BigIntegerField(primary_key=True)
    start_utc = models.DateTimeField()
    end_utc = models.DateTimeField()
    published_at = models.DateTimeField(null=True)
    author_id = models.BigIntegerField()
    hide_from_listings = models.BooleanField()
    has_suffixes = models.BooleanField()
    """Whether the index of suffixes knows the text; else that of trigrams does."""
    institution = models.CharField(max_length=64)
    status = models.CharField(max_length=10)
    is_listed = models.BooleanField()
    search_text = models.TextField()

    class Meta:
        managed = False
        default_permissions = ()
        db_table = "calendar_events_eventsearch"

    def __str__(self) -> str:
        return f"search text of event {self.id}"
