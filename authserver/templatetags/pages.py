"""What any page may need, also one that is shown without a context (``500.html``)."""

from django import template

from platform_errors.http.request_id import current_request_id

register = template.Library()


@register.filter
def isolated(name: str) -> str:
    """Return a name whose direction ends with it, for a title: <bdi> cannot stand there."""
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


@register.simple_tag
def request_id() -> str:
    """Return the identifier of the request being served (spec 7.7)."""
    return current_request_id()
