"""What the history of an event remembers besides its columns: what it was linked to."""

from functools import cache
from typing import Any

from django.db import models
from django.dispatch import receiver
from simple_history.manager import HistoryManager
from simple_history.signals import pre_create_historical_record


class StateManager(HistoryManager):
    """The manager of states; its class is made once, not at every look at it."""

    @classmethod
    @cache
    def from_queryset(cls, *args: Any, **kwargs: Any) -> Any:
        """Return the manager class with the vocabulary of a queryset (Django's seam)."""
        return super().from_queryset(*args, **kwargs)


def reason_field() -> models.TextField:
    """Return the column that says why a state was made; a comment may be long."""
    return models.TextField(null=True)


class LinkedHistory(models.Model):
    """A state of an event with the identifiers of its venues, organizers and terms.

    Kept as plain numbers: a state outlives the records that it was linked to.
    """

    linked = models.JSONField(default=dict, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"linked to {self.linked}"


@receiver(pre_create_historical_record)
def remember_links(instance: Any, history_instance: Any, **_kwargs: Any) -> None:
    """Copy the links of an event into its state."""
    if isinstance(history_instance, LinkedHistory):
        history_instance.linked = getattr(instance, "linked", {})
