"""The kinds of value a write may carry, each with what ``""`` and ``null`` mean for it.

Empty values (decisions 7): for an optional field they mean absent on create and cleared on
update, which is the same: the field gets its ``cleared`` value. Reasons are sentences that
continue the name of the field.
"""

import math
from typing import Any, ClassVar

from django.core.validators import EmailValidator, URLValidator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import SkipField, empty

from calendar_events.conf import conf
from calendar_events.models import Status
from calendar_events.parsing import markup, slugs, text
from calendar_events.parsing.markup import MarkupError

Messages = dict[str, Any]
"""DRF's type of a field's messages; ours are ``str.format`` templates."""
KEPT: Any = object()
"""A ``cleared`` value: an empty value leaves the field as it is."""
MOST_DIGITS = 256
"""The most digits of a number that a refusal repeats."""


def is_blank(data: Any) -> bool:
    return data is None or (isinstance(data, str) and not data.strip())


class Clearable(serializers.Field):
    """Gives ``""`` and ``null`` a meaning in writes; mixed into DRF's own fields."""

    cleared: Any = ""
    blanks: ClassVar[tuple[Any, ...]] = ()
    """Further values that count as empty."""
    default_error_messages: ClassVar[Messages] = {
        "required": "is required.",
        "blank": "must not be empty.",
    }

    def __init__(self, *, clearable: bool = True, **options: Any) -> None:
        """Take DRF's options; ``clearable`` says whether an empty value is accepted."""
        self.clearable = clearable
        options.setdefault("required", False)
        super().__init__(allow_null=clearable, **options)

    def is_empty(self, data: Any) -> bool:
        return is_blank(data) or data in self.blanks

    def run_validation(self, data: Any = empty) -> Any:
        """Answer an empty value with ``cleared``, leave any other to the field."""
        if data is empty or not self.is_empty(data):
            return super().run_validation(data)
        if not self.clearable:
            self.fail("blank")
        if self.cleared is KEPT:
            raise SkipField
        return self.cleared

    @property
    def stored(self) -> Any:
        """The record that is changed; ``None`` on create."""
        return getattr(self.parent, "instance", None)

    def is_stored(self, data: Any) -> bool:
        """Return whether this is what the record has: its own answer, sent back."""
        stored = self.stored
        return stored is not None and data == getattr(stored, str(self.source), None)


@extend_schema_field(OpenApiTypes.STR)
class Text(Clearable, serializers.CharField):
    """Text; subclasses say in ``cleaned`` what is left of it, and how long it may be."""

    default_error_messages: ClassVar[Messages] = {
        "type": "must be text.",
        "length": "must not be longer than {limit} characters; it has {length}.",
        "max_length": "must not be longer than {max_length} characters.",
    }

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("type")
        if self.is_stored(data):
            return data  # a title that shows a tag, say, has lost what it is made of
        value = self.cleaned(data)
        if not value and not self.clearable:
            self.fail("blank")
        return value

    def cleaned(self, value: str) -> str:
        raise NotImplementedError

    def require_length(self, value: str, most: int) -> None:
        if len(value) > most:
            self.fail("length", limit=most, length=len(value))


class PlainText(Text):
    """One line without markup: a title, a name, a part of an address."""

    def cleaned(self, value: str) -> str:
        self.require_length(value, 20 * int(self.max_length or 0))
        return text.plain(value)


@extend_schema_field(OpenApiTypes.STR)
class SlugText(PlainText):
    """The readable part of the address; empty is made again from the title."""

    default_error_messages: ClassVar[Messages] = {
        "slug": "must contain a letter or a digit.",
    }

    def __init__(self, **options: Any) -> None:
        """Accept more than fits into an address; longer slugs are truncated."""
        super().__init__(max_length=2000, **options)

    def cleaned(self, value: str) -> str:
        slug = slugs.from_plain(super().cleaned(value), fallback="")
        if not slug:
            self.fail("slug")
        return slug


class RichText(Text):
    """HTML of a description or excerpt, sanitised; plain text becomes paragraphs."""

    default_error_messages: ClassVar[Messages] = {
        "markup": "must not {reason}.",
        "tags": "must not have more than {most} tags of HTML; it has {tags}.",
    }
    make_safe: ClassVar[Any] = staticmethod(text.strict_html)
    """Raises ``MarkupError``."""

    def cleaned(self, value: str) -> str:
        self.require_length(value, conf.max_html)
        tags = markup.count_tags(value)
        if tags > conf.max_tags:
            self.fail("tags", most=conf.max_tags, tags=tags)
        try:
            return self.make_safe(value)
        except MarkupError as error:
            self.fail("markup", reason=error)


class SafeText(RichText):
    """The description of a term: sanitised like a description, but left in one piece."""

    make_safe = staticmethod(text.safe_html)


class ValidatedText(Clearable, serializers.CharField):
    """Text that one of Django's validators accepts, which has the reason and its code."""

    MAX_LENGTH: ClassVar[int]
    ESCAPES: ClassVar[dict[int, str]] = {}
    validator: ClassVar[EmailValidator | URLValidator]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.validators.append(self.validator)

    def to_internal_value(self, data: Any) -> str:
        value = data.strip().translate(self.ESCAPES) if isinstance(data, str) else ""
        if not value or max(len(data), len(value)) > self.MAX_LENGTH:
            raise serializers.ValidationError(self.validator.message, self.validator.code)
        return value


@extend_schema_field(OpenApiTypes.URI)
class WebAddress(ValidatedText):
    """An http or https URL."""

    MAX_LENGTH = 2048
    # Characters that RFC 3986 does not allow, but validators do: whoever prints an address
    # into an attribute would close it.
    ESCAPES = str.maketrans({'"': "%22", "<": "%3C", ">": "%3E"})
    validator = URLValidator(
        ["http", "https"],
        message="must be an address that begins with http:// or https://.",
        code="url",
    )


@extend_schema_field(OpenApiTypes.EMAIL)
class EmailAddress(ValidatedText):
    """An e-mail address."""

    MAX_LENGTH = 254
    validator = EmailValidator(
        "must be an e-mail address such as name@example.org.", code="email"
    )


@extend_schema_field(
    {
        "oneOf": [
            {"type": "boolean"},
            {"type": "string", "enum": ["true", "false", "1", "0"]},
        ]
    }
)
class Flag(Clearable, serializers.BooleanField):
    """A boolean: ``true``, ``false``, ``1``, ``0`` or one of their texts."""

    WORDS = frozenset({"true", "false", "1", "0"})
    default_error_messages: ClassVar[Messages] = {"type": "must be true or false."}

    def __init__(self, *, cleared: bool = False, **options: Any) -> None:
        self.cleared = cleared
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> Any:
        word = str(data).strip().lower() if isinstance(data, str | int) else ""
        if word not in self.WORDS:  # DRF takes ``on`` and ``y``, too
            self.fail("type")
        return super().to_internal_value(word)


@extend_schema_field({"oneOf": [{"type": "integer"}, {"type": "string"}]})
class Identifier(Clearable):
    """An integer identifier, as a number or as digits."""

    cleared = None
    blanks = (0, "0")
    default_error_messages: ClassVar[Messages] = {"id": "must be an identifier."}

    def to_internal_value(self, data: Any) -> int:
        value = as_identifier(data)
        if value is None:
            self.fail("id")
        return value


def as_identifier(data: Any) -> int | None:
    """Return the identifier that a number or a text of digits is, else ``None``.

    It may be one that no database can hold, so that a refusal names what was sent.
    """
    if isinstance(data, str) and data.strip().isascii() and data.strip().isdigit():
        return int(data.strip()[:MOST_DIGITS])
    if isinstance(data, int) and not isinstance(data, bool) and data >= 0:
        return data
    return None


@extend_schema_field({"oneOf": [{"type": "number"}, {"type": "string"}]})
class Coordinate(Clearable, serializers.FloatField):
    """Degrees of latitude or longitude."""

    cleared = None
    default_error_messages: ClassVar[Messages] = {
        "degrees": "must be a number of degrees.",
        "min_value": "must be at least {min_value} degrees.",
        "max_value": "must be at most {max_value} degrees.",
    }

    def __init__(self, *, limit: int, **options: Any) -> None:
        super().__init__(min_value=-limit, max_value=limit, **options)

    def to_internal_value(self, data: Any) -> float:
        try:
            value = float(super().to_internal_value(data))
        except (serializers.ValidationError, OverflowError):
            self.fail("degrees")
        if isinstance(data, bool) or not math.isfinite(value):
            self.fail("degrees")
        return value


@extend_schema_field(OpenApiTypes.STR)
class StatusName(Clearable, serializers.ChoiceField):
    """The status; empty leaves it as it is."""

    cleared = KEPT
    default_error_messages: ClassVar[Messages] = {
        "invalid_choice": f"must be one of {', '.join(Status.values)}.",
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=Status.choices, **options)
