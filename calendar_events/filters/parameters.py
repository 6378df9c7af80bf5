"""Query parameters: django-filter's filters on Django's form fields.

Each says how OpenAPI and the index describe it. Most name the method of the QuerySet that
they call; one that names none filters nothing by itself. A field is only made for a
parameter that was sent, so it must hold something.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache, partial
from typing import Any, ClassVar

import django_filters
from dateutil.relativedelta import relativedelta
from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db.models import QuerySet
from django_filters.fields import BaseCSVField
from django_filters.widgets import CSVWidget
from drf_spectacular.utils import extend_schema_field

from calendar_events.models.querysets.scopes import Window
from calendar_events.parsing import dates

RELATIVE = ("starts_before", "starts_after", "ends_before", "ends_after")
DEFAULT_SPAN = relativedelta(months=24)


def window_of(values: Mapping[str, Any], *, now: datetime, zone: tzinfo) -> Window:
    """Return the window that the values of parameters say, or the default one.

    Not strict, dates are whole days: ``start_date`` begins its day, ``end_date`` and the
    four relative ones end theirs. Strict, they are the exact moments. Limits of the window
    are inclusive, the relative ones exclusive (spec 4.3, decisions 7). A series is shown
    whole unless something else is asked for.
    """
    if "include" in values:
        return Window()
    strict = values.get("strict_dates", False)
    limits = {
        name: _instant(values[name], name, strict=strict)
        for name in ("start_date", "end_date", *RELATIVE)
        if name in values
    }
    if not values.keys() & {*RELATIVE, "series"}:
        start, end = _default_span(now.astimezone(zone).date(), zone)
        limits = {"start_date": start, "end_date": end} | limits
    return Window(
        start=limits.pop("start_date", None),
        end=limits.pop("end_date", None),
        overlaps=values.get("overlaps", False),
        **limits,
    )


def _instant(moment: dates.Moment, name: str, *, strict: bool) -> datetime:
    if strict:
        return moment.utc
    return moment.day_start() if name == "start_date" else moment.day_end()


# Cached: most lists have the default window, which is the same all day.
@lru_cache(maxsize=64)
def _default_span(today: date, zone: tzinfo) -> tuple[datetime, datetime]:
    start = dates.day_start(today - timedelta(days=1), zone)
    return start, dates.day_end(today + DEFAULT_SPAN, zone)


@lru_cache(maxsize=256)
def written(instant: datetime, zone: tzinfo) -> str:
    """Write an instant so that reading it in the same zone gives it back.

    In an hour that clocks show twice the wall alone would not.
    """
    wall = dates.to_wall(instant, zone)
    if dates.to_utc(wall, zone, is_clamped=True) == instant:
        return dates.written(wall)
    return f"{dates.written(instant.astimezone(UTC), separator='T')}Z"


MAX_ITEMS = 500
MAX_TEXT = 500
TRUE = frozenset({"true", "1", "yes", "on"})
FALSE = frozenset({"false", "0", "no", "off"})
# As a message of its own a ``ValidationError`` brings along the code that ``api.dialect``
# words.
BLANK: Any = ValidationError("This must not be empty.", code="blank")
NO_FLAG: Any = ValidationError("This must be true or false.", code="type")
NO_NUMBER: Any = ValidationError("This is not a number.", code="type")
NOT_WHOLE: Any = ValidationError("This is not a whole number.", code="type")
_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,30}(?:\.0+)?\s*")
TEXT = {"type": "string"}


class ParameterField(forms.Field):
    """A field that must hold something.

    The filter's ``required``, which the schema shows, says that it need not be sent.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"required": True})

    def clean(self, value: Any) -> Any:
        if "\x00" in value:
            raise ValidationError("This holds a NUL character.")
        return super().clean(value)


class TextField(ParameterField, forms.CharField):
    """A text that holds more than spaces, as ``parse`` reads it.

    ``parse`` raises ``ValueError`` with a sentence, which gets ``code``.
    """

    default_error_messages = {
        "required": BLANK,
        "max_length": f"This has at most {MAX_TEXT} characters.",
    }

    def __init__(
        self, *, parse: Callable[[str], Any] = str, code: str = "invalid", **options: Any
    ) -> None:
        super().__init__(max_length=MAX_TEXT, strip=False, **options)
        self.parse, self.code = parse, code

    def to_python(self, value: Any) -> str:
        return str(value) if value.strip() else ""

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            return self.parse(text)
        except ValueError as error:
            raise ValidationError(str(error), code=self.code) from error


class IdentifierField(ParameterField, forms.IntegerField):
    """A whole number from 1 on; ``1.0`` is one."""

    default_error_messages = {"required": NOT_WHOLE, "invalid": NOT_WHOLE}
    default_validators = [MinValueValidator(1, "This must be at least 1.")]

    def to_python(self, value: Any) -> int | None:
        return super().to_python(value if _WHOLE.fullmatch(value) else "")


class NumberField(ParameterField, forms.FloatField):
    """A finite decimal number."""

    default_error_messages = {"required": NO_NUMBER, "invalid": NO_NUMBER}


class FlagField(ParameterField):
    """True or false; what is not ``is_strict`` is false unless it is plainly true."""

    def __init__(self, *, is_strict: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self.known = TRUE | FALSE if is_strict else None

    def to_python(self, value: Any) -> bool:
        word = value.strip().lower()
        if not word or (self.known and word not in self.known):
            raise ValidationError(NO_FLAG)
        return word in TRUE


class ListField(BaseCSVField):
    """Several values, each of which the second base class reads."""

    widget = CSVWidget

    def clean(self, value: Any) -> list[Any]:
        if not value:
            raise ValidationError(BLANK)
        if len(value) > MAX_ITEMS:
            raise ValidationError(f"This lists at most {MAX_ITEMS} values.", code="many")
        values: list[Any] = super().clean(value)
        return values


class Parameter(django_filters.Filter):
    """One query parameter."""

    field_class: ClassVar[Any]
    schema: ClassVar[dict[str, Any]] = TEXT

    def __init__(
        self,
        queryset_method: str = "",
        *,
        help_text: str,
        schema: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Add ``schema`` to the class's; both describe one value for OpenAPI."""
        super().__init__(label=help_text, help_text=help_text, **options)
        self.queryset_method = queryset_method
        described = {**type(self).schema, **(schema or {}), "description": help_text}
        extend_schema_field(described)(self)

    def filter(self, qs: QuerySet[Any], value: Any) -> QuerySet[Any]:
        if not self.queryset_method:
            return qs
        filtered: QuerySet[Any] = self.call(getattr(qs, self.queryset_method), value)
        return filtered

    def call(self, method: Callable[..., Any], value: Any) -> Any:
        return method(value)


class TextFilter(Parameter, django_filters.CharFilter):
    """A text; ``parse`` and ``code`` are those of ``TextField``."""

    field_class = TextField


class MomentFilter(TextFilter):
    """A date in any of the accepted forms (decisions 7, "Date words")."""

    schema = TEXT | {"example": "2027-03-01 18:00:00"}

    @property
    def field(self) -> Any:
        options = {"now": self.parent.now, "zone": self.parent.zone, "is_clamped": True}
        self.extra.update(parse=partial(dates.parse, **options), code="date")
        return super().field

    def call(self, method: Callable[..., Any], value: dates.Moment) -> Any:
        return method(value.utc)


class FlagFilter(Parameter, django_filters.BooleanFilter):
    """True or false; ``is_strict`` is that of ``FlagField``."""

    field_class = FlagField
    schema = {"type": "boolean"}

    def call(self, method: Callable[..., Any], value: bool) -> Any:  # noqa: FBT001 -- as Parameter's
        return method(wanted=value)


class IdentifierFilter(Parameter, django_filters.NumberFilter):
    """A whole number from 1 on."""

    field_class = IdentifierField
    schema = {"type": "integer", "minimum": 1}


class NumberFilter(Parameter, django_filters.NumberFilter):
    """A decimal number."""

    field_class = NumberField
    schema = {"type": "number", "format": "double"}


class ListFilter(django_filters.BaseInFilter, TextFilter):
    """Several texts, in any of the three syntaxes."""

    base_field_class = ListField


class IdentifierListFilter(django_filters.BaseInFilter, IdentifierFilter):
    """Several identifiers."""

    base_field_class = ListField
