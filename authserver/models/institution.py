"""Institutions: where users log in, and whose data a key may ask for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from django.core.validators import RegexValidator
from django.db import NotSupportedError, models
from django.db.models import ProtectedError, Q
from django.db.models.signals import pre_delete
from django.dispatch import Signal, receiver

from authserver.parsing.usernames import fold

collect_institution_references = Signal()
"""Sent with ``institution``; a receiver returns words for what of its own names it.

Other apps keep the registry identifier as text, which no foreign key protects.
"""


def uses_of(institution: Institution) -> list[str]:
    """Return words for what would lose its institution if this one was deleted."""
    answers = collect_institution_references.send(Institution, institution=institution)
    return [words for _, words in answers if words]


class RegistryIdIsFixed(Exception):
    """A stored registry identifier does not change: logins and calendars are named by it.

    Whoever got a freed one would get the events that are filed under it.
    """


SEARCHED = ("name", "place", "code", "registry_id")
"""Columns that ``search_text`` is made of."""


class InstitutionQuerySet(models.QuerySet["Institution"]):
    """Queries of institutions; none writes past ``search_text``."""

    def update(self, **values: Any) -> int:
        """Update rows, as ``bulk_update`` does, too.

        Raises ``RegistryIdIsFixed``, or ``NotSupportedError`` for what is searched.
        """
        if "registry_id" in values:
            raise RegistryIdIsFixed("a registry identifier cannot be changed once stored")
        if not values.keys().isdisjoint(SEARCHED):
            raise NotSupportedError("what the picker searches is written by save()")
        return super().update(**values)

    update.alters_data = True  # type: ignore[attr-defined]

    def bulk_create(self, objs: Iterable[Institution], *args: Any, **kwargs: Any) -> Any:
        """Insert many at once."""
        rows = list(objs)
        for row in rows:
            row.search_text = row.searchable()
        return super().bulk_create(rows, *args, **kwargs)

    bulk_create.alters_data = True  # type: ignore[attr-defined]

    def active(self) -> Self:
        """Institutions that are open for use."""
        return self.filter(is_active=True)

    def matching(self, text: str) -> Self:
        """Institutions whose name, place, code or registry identifier has every word."""
        matches = self
        for word in fold(text).split():
            matches = matches.filter(search_text__contains=word)
        return matches

    def in_display_order(self) -> Self:
        """By name, as a picker shows them."""
        return self.order_by("name", "pk")


class Institution(models.Model):
    """A member of the platform; its registry identifier is digits as text (decisions 2)."""

    registry_id = models.CharField(
        "registry identifier",
        max_length=32,
        unique=True,
        validators=[RegexValidator(r"^[0-9]+\Z", "Digits only.")],
    )
    name = models.CharField(max_length=200)
    place = models.CharField(max_length=200, blank=True)
    code = models.CharField(max_length=50, blank=True, help_text="A short mnemonic.")
    sender_name = models.CharField(
        "sender of mail",
        max_length=200,
        blank=True,
        help_text="Whom messages to its people come from; left empty: the name.",
    )
    is_active = models.BooleanField(
        "active",
        default=True,
        help_text="An inactive institution counts as not on any key.",
    )
    search_text = models.TextField(editable=False, default="")
    requires_second_factor = models.BooleanField(
        "requires a second factor",
        default=False,
        help_text="Of its accounts that sign in with a password here.",
    )
    lets_people_delete_accounts = models.BooleanField(
        "lets people delete their accounts",
        default=False,
        help_text="Otherwise they ask for it, which is on the audit record.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    switched_on_at = models.DateTimeField(null=True, editable=False)
    """As that of an account."""

    objects = InstitutionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(registry_id__regex=r"^[0-9]+$"),
                name="institution_registry_id_is_digits",
            ),
        ]
        indexes = [models.Index(fields=["name", "id"], name="institution_by_name")]

    def __str__(self) -> str:
        """Name and identifier: unique, and telling."""
        return f"{self.name} ({self.registry_id})"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Keep the folded text of the picker's search in step.

        Raises ``RegistryIdIsFixed``.
        """
        stored = Institution.objects.filter(pk=self.pk).exclude(
            registry_id=self.registry_id
        )
        if stored.exists():
            raise RegistryIdIsFixed(
                f"{self} has another registry identifier in the database"
            )
        self.search_text = self.searchable()
        fields = kwargs.get("update_fields")
        if fields is not None:
            kwargs["update_fields"] = {*fields, "search_text"}
        super().save(*args, **kwargs)

    def searchable(self) -> str:
        """Return the folded text that the picker searches."""
        return fold(" ".join(getattr(self, name) for name in SEARCHED))


@receiver(pre_delete, sender=Institution)
def keep_what_is_used(instance: Institution, **_kwargs: Any) -> None:
    """Raise ``ProtectedError``: the next holder of the identifier would get it all."""
    if uses := uses_of(instance):
        raise ProtectedError(f"{instance} is used: {', '.join(uses)}", {instance})
