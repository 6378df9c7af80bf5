"""The addresses of admin: a page of each kind, for each admin class."""

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

SEARCHED: Final = ("person", "evening")
"""What is searched on a platform of any size, tests included."""
PAGES: Final = ("month", "deleted", "check")
PAGES_OF_A_ROW: Final = ("change", "history", "preview")


def pages(model_admin: Any, request: HttpRequest) -> Iterator[tuple[str, str]]:
    """Yield a name and an address for each kind of page of an admin class."""
    meta = model_admin.opts
    name = f"admin:{meta.app_label}_{meta.model_name}"
    changelist = reverse(f"{name}_changelist")
    yield "list", changelist
    if model_admin.search_fields:
        for word in SEARCHED:
            yield f"search for {word}", f"{changelist}?q={word}"
    yield "add", reverse(f"{name}_add")
    for page in PAGES:
        if address := _reverse(f"{name}_{page}"):
            yield page, address
    rows = model_admin.get_queryset(request).order_by("pk").values_list("pk", flat=True)
    for which, pk in (("first", rows.first()), ("last", rows.last())):
        for page in PAGES_OF_A_ROW:
            if pk is not None and (address := _reverse(f"{name}_{page}", pk)):
                yield f"{page} of the {which}", address


def autocompletes(model_admin: Any) -> Iterator[tuple[str, str]]:
    """Yield a name and an address, open for what is typed, of each autocomplete."""
    chosen = [
        (each, name)
        for each in (model_admin, *model_admin.inlines)
        for name in each.autocomplete_fields
    ]
    fields = getattr(model_admin.form, "declared_fields", {}).values()
    searched = [getattr(field.widget, "field", None) for field in fields]
    chosen += [(field, field.name) for field in searched if field is not None]
    for each, name in chosen:
        owner = getattr(each, "model", model_admin.model)._meta
        asked = {"app_label": owner.app_label, "model_name": owner.model_name}
        query = urlencode({**asked, "field_name": name})
        yield f"choice of {name}", f"{reverse('admin:autocomplete')}?{query}&term="


def _reverse(name: str, *arguments: Any) -> str:
    try:
        return reverse(name, args=arguments)
    except NoReverseMatch:
        return ""
