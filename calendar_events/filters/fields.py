"""Form fields of query parameters; every refusal is a sentence for people.

A field is only made for a parameter that was sent, so it must hold something. As a message
of its own a ``ValidationError`` brings the code along that ``api.dialect`` words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django_filters.fields import BaseCSVField
from django_filters.widgets import CSVWidget

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_ITEMS = 500
MAX_TEXT = 500
TRUE = frozenset({"true", "1", "yes", "on"})
FALSE = frozenset({"false", "0", "no", "off"})
BLANK: Any = ValidationError("This must not be empty.", code="blank")
NO_FLAG: Any = ValidationError("This must be true or false.", code="type")
NO_NUMBER: Any = ValidationError("This is not a number.", code="type")
NOT_WHOLE: Any = ValidationError("This is not a whole number.", code="type")
_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,30}(?:\.0+)?\s*")


class Sent(forms.Field):
    """A field of a parameter that was sent.

    The filter's ``required``, which the schema shows, says that it need not be.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"required": True})

    def clean(self, value: Any) -> Any:
        if "\x00" in value:
            raise ValidationError("This holds a NUL character.")
        return super().clean(value)


class TextField(Sent, forms.CharField):
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


class IdentifierField(Sent, forms.IntegerField):
    """A whole number from 1 on; ``1.0`` is one."""

    default_error_messages = {"required": NOT_WHOLE, "invalid": NOT_WHOLE}
    default_validators = [MinValueValidator(1, "This must be at least 1.")]

    def to_python(self, value: Any) -> int | None:
        return super().to_python(value if _WHOLE.fullmatch(value) else "")


class NumberField(Sent, forms.FloatField):
    """A finite decimal number."""

    default_error_messages = {"required": NO_NUMBER, "invalid": NO_NUMBER}


class FlagField(Sent):
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
