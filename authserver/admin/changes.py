"""What a form changed, from what to what, in words for the audit record."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.utils.text import capfirst

MAX_VALUES = 50
MAX_LENGTH = 200
RECORDED: dict[str, set[str]] = {
    "auth.group": {"name", "permissions"},
    "authserver.institution": {
        *("registry_id", "name", "place", "code", "sender_name", "is_active"),
        *("requires_second_factor", "lets_people_delete_accounts"),
    },
    "authserver.keyinstitution": {"key", "institution"},
    "authserver.keyservice": {"key", "service", "status", "expires_at"},
    "authserver.servicekey": {
        *("client_id", "name", "status", "expires_at"),
        *("redirect_uris", "post_logout_redirect_uris"),
        *("claimed_https", "old_generation"),
    },
    "authserver.rolerule": {"claim", "value", "group"},
    "authserver.signinmethod": {
        *("institution", "kind", "name", "is_active", "issuer", "client_id", "scopes"),
        *("username_claim", "name_claim", "email_claim", "required_claims"),
    },
    "authserver.signinrules": {
        *("institution", "passwords", "arrivals"),
        *("requires_second_factor", "lets_people_delete_accounts"),
    },
    "authserver.user": {
        *("institution", "username", "full_name", "email"),
        *("principal_id", "principal_namespace"),
        *("is_active", "must_change_password", "is_staff", "is_superuser"),
        *("groups", "user_permissions"),
    },
}
"""Columns whose values are recorded. Of all others the record says only that they changed:
nobody can take a secret out of it again."""


def changed_values(form: Any, formsets: Iterable[Any] | None) -> list[str]:
    """Return ``name: old → new`` of every column that was changed, 50 at most.

    Only columns of models, and what is in ``RECORDED``, are looked at, and only the values
    of the latter are shown; any other reads ``name: changed``.
    """
    forms = [form, *(each for formset in formsets or () for each in formset.forms)]
    changes = [words for each in forms for words in _of_form(each)]
    more = len(changes) - MAX_VALUES
    return [*changes[:MAX_VALUES], *([f"and {more} more"] if more > 0 else [])]


def _of_form(form: Any) -> Iterator[str]:
    if not isinstance(form, ModelForm) or not hasattr(form, "cleaned_data"):
        return
    options = form._meta.model._meta
    columns = {field.name for field in options.get_fields()}
    recorded = RECORDED.get(options.label_lower, set())
    for name in form.changed_data:
        if name in columns | recorded and name in form.cleaned_data:
            label = capfirst(_label(form, name))
            if name in recorded:
                yield f"{label}: {_old(form, name)} → {_words(form.cleaned_data[name])}"
            else:
                yield f"{label}: changed"


def _label(form: ModelForm, name: str) -> str:
    return str(form.fields[name].label or name.replace("_", " "))


def _old(form: ModelForm, name: str) -> str:
    """Return what was stored, which the form knows as primary keys where it is a row."""
    initial = form.initial.get(name, form.fields[name].initial)
    queryset: Any = getattr(form.fields[name], "queryset", None)
    if queryset is None or initial in (None, "", []):
        return _words(initial)
    keys = [
        getattr(each, "pk", each)
        for each in (initial if isinstance(initial, (list, tuple, QuerySet)) else [initial])
    ]
    return _words(list(queryset.model.objects.filter(pk__in=keys)))


def _words(value: Any) -> str:
    if value in (None, ""):
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    if isinstance(value, Model):
        return str(value)[:MAX_LENGTH]
    if isinstance(value, (list, QuerySet)):
        return ", ".join(sorted(str(each) for each in value))[:MAX_LENGTH] or "nothing"
    text = str(value)
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]} …"
