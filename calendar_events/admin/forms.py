"""Forms that hand what was typed to the inputs of the interface."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.db.models import Model, Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import cached_property

from calendar_events.admin import institutions
from calendar_events.admin.widgets import LocalDateTimeInput
from calendar_events.documents.fields import moment
from calendar_events.permissions import Actor
from calendar_events.serializers.base import Input
from calendar_events.services import desk
from institution_admin import IdAutocompleteSelectMultiple, is_id

CHANGED_MEANWHILE = (
    "Somebody changed this record while you were editing it. Look at it again, and repeat"
    " your change."
)
ALWAYS_REQUIRED = frozenset({"institution", "taxonomy"})
ABOUT_THE_WRITE = frozenset({"institution", "seen_version", "scope", "confirmed"})


class OrderedChoices(forms.ModelMultipleChoiceField):
    """Several records, in the order in which they were chosen."""

    def __init__(self, model: type[Model], name: str, *, label: str) -> None:
        """Search as you type among the records that ``model.name`` may hold."""
        field: Any = model._meta.get_field(name)
        self.model = field.related_model
        self.relation = field.remote_field
        super().__init__(
            queryset=self.model.objects.all(),
            widget=IdAutocompleteSelectMultiple(field, admin.site),
            required=False,
            label=label,
        )

    def keep_to(self, request: HttpRequest) -> None:
        """Offer what the user may meet in admin, also to what is posted by hand.

        Whoever may create such records gets a link that makes one in a window of its own.
        """
        related = admin.site.get_model_admin(self.model)
        self.queryset = related.get_queryset(request)
        self.widget = RelatedFieldWidgetWrapper(
            self.widget,
            self.relation,
            admin.site,
            can_add_related=related.has_add_permission(request),
        )

    def clean(self, value: Any) -> Any:
        """Return the records, not a query that forgets their order."""
        if not all(map(is_id, value or [])):
            raise forms.ValidationError("Choose from the list.")
        found = {str(record.pk): record for record in super().clean(value)}
        return [found[str(pk)] for pk in value or []]


class RecordForm(forms.ModelForm):
    """A form that is read by an input of the interface and written by a service."""

    request: HttpRequest
    input: ClassVar[type[Input]]
    input_names: ClassVar[Mapping[str, str]] = {}
    """Names of input fields, where the form has another name."""
    only_here: ClassVar[frozenset[str]] = frozenset()
    """Fields that only an administrator may set (decisions 7)."""

    seen_version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Show what is stored as the interface would; leave to it what is required."""
        super().__init__(*args, **kwargs)
        self.changes: Any = {}
        self.deletion: Any = None
        self.unseen: dict[str, list[Any]] = {}
        if self.instance.pk:
            # A version is of the institution that the record has now.
            self.instance.institution = institutions.owner_now(self.instance)
        self.initial.update(self.shown())
        institutions.offer(self.fields, only=institutions.own(self.request))
        for name, field in self.fields.items():
            if isinstance(field, OrderedChoices):
                self._keep_to_visible(name, field)
            field.required = field.required and name in ALWAYS_REQUIRED
        self._keep_author()

    def _keep_to_visible(self, name: str, field: OrderedChoices) -> None:
        """Offer what the user may meet; what else is linked now stays linked, unseen."""
        field.keep_to(self.request)
        # An address may name anything for a field that is not the model's own.
        given = self.initial.get(name) or []
        linked = [record for record in given if isinstance(record, Model)]
        pks = [record.pk for record in linked]
        rows: Any = field.queryset
        seen = set(rows.filter(pk__in=pks).values_list("pk", flat=True))
        self.initial[name] = [record for record in linked if record.pk in seen]
        self.unseen[name] = [record for record in linked if record.pk not in seen]
        field.widget.widget.known = {str(each.pk): each for each in self.initial[name]}

    def _keep_author(self) -> None:
        """Take the author that a record has, also one whom the user does not meet."""
        field: Any = self.fields.get("author")
        if field is not None and self.instance.pk and self.instance.author_id:
            author = Q(pk__in=field.queryset.values("pk")) | Q(pk=self.instance.author_id)
            field.queryset = field.queryset.model.objects.filter(author)

    def shown(self) -> dict[str, Any]:
        """Return the initial values that are not simply columns."""
        return {"seen_version": self.instance.version} if self.instance.pk else {}

    @cached_property
    def stored(self) -> Any:
        """Return the stored record; ``None`` for a new one, or one deleted for good.

        Read once: a save expects the version that was checked.
        """
        if self.instance.pk is None:
            return None
        model: Any = type(self.instance)
        return model.objects.filter(pk=self.instance.pk).first()

    @property
    def actor(self) -> Actor:
        institution = self.cleaned_data.get("institution") or self.instance.institution
        return Actor(user=self.request.user, institution=institution)

    def _require_unrestored(self) -> None:
        """Let a deleted record come back once, as long as what came of it is there."""
        model = type(self.instance)
        self.deletion = desk.lock_deletion(model, self.instance.pk)
        pk = self.deletion and desk.restored_as(self.deletion)
        if pk and model.objects.filter(pk=pk).exists():
            self.add_error(None, f"This record has already been restored, as number {pk}.")

    def body(self, *, is_new: bool) -> dict[str, Any]:
        """Return what was typed, as a body of the interface."""
        body = {
            self.input_names.get(name, name): plain(value)
            for name, value in self.cleaned_data.items()
            if name not in ABOUT_THE_WRITE | self.only_here
        }
        if is_new and body.get("author") is None:
            body.pop("author", None)
        return body

    def clean(self) -> dict[str, Any]:
        """Read the body with the input, and put its reasons beside the fields."""
        super().clean()
        for name, records in self.unseen.items():
            self.cleaned_data[name] = [*self.cleaned_data.get(name, []), *records]
        stored = self.stored
        self._require_version(stored)
        if self.errors:
            return self.cleaned_data
        read = self.input(
            stored,
            data=self.body(is_new=stored is None),
            partial=stored is not None,
            context={
                "actor": self.actor,
                "now": timezone.now(),
                "scope": self.cleaned_data.get("scope"),
            },
        )
        if not read.is_valid():
            names = {theirs: ours for ours, theirs in self.input_names.items()}
            for theirs, reasons in read.errors.items():
                name = names.get(theirs, theirs)
                self.add_error(name if name in self.fields else None, sentence(reasons[0]))
            return self.cleaned_data
        self.changes = read.validated_data
        for name in self.only_here & self.fields.keys():
            self.changes[name] = plain(self.cleaned_data.get(name))
        if stored is None and hasattr(self.instance, "_history"):
            self._require_unrestored()
            # Brought back by somebody who may not set it: as it was.
            for name in self.only_here - self.fields.keys():
                self.changes[name] = plain(getattr(self.instance, name))
        return self.cleaned_data

    def _require_version(self, stored: Any) -> None:
        """Require that the record is as it was shown; going back in history overrules."""
        is_revert = hasattr(self.instance, "_history")
        seen = self.cleaned_data.get("seen_version")
        if stored is not None and not is_revert and seen != stored.version:
            self.add_error(None, CHANGED_MEANWHILE)

    def _post_clean(self) -> None:
        """Leave the instance alone: services write, and know the rules."""

    def save(self, commit: bool = True) -> Any:  # noqa: FBT001, FBT002 -- Django's
        return self.instance

    def save_m2m(self) -> None:
        """Save nothing: services write the links with the record."""


class PublishedForm(RecordForm):
    """What events, venues and organizers share."""

    date_utc = forms.CharField(
        label="Published at (UTC)",
        widget=LocalDateTimeInput,
        help_text="A future time schedules publication; leave empty to publish now.",
    )

    def shown(self) -> dict[str, Any]:
        if not self.instance.pk:
            return super().shown()
        return super().shown() | {
            "status": self.instance.status_at(timezone.now()),
            "date_utc": moment(self.instance.published_at),
        }


def sentence(reason: str) -> str:
    """Return a reason, which continues the name of a field, as a sentence of its own."""
    whole = reason.removeprefix("cannot be used: ")
    return whole if whole != reason else f"This {reason}"


def plain(value: Any) -> Any:
    """Return records as their identifiers."""
    if isinstance(value, Model):
        return value.pk
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
