"""Addresses of admin pages."""

from django.urls import reverse


def of(row, page="change"):
    """Return the address of a page about a row."""
    name = f"{row._meta.app_label}_{row._meta.model_name}_{page}"
    return reverse(f"admin:{name}", args=[row.pk])


def about(model, page="changelist"):
    """Return the address of a page about a model."""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}")


def shown(response):
    """Return what the form of a page shows, ready to be sent back."""
    form = response.context["adminform"].form
    values = {}
    for name in form.fields:
        value = form[name].value()
        if value is True:
            values[name] = "on"
        elif isinstance(value, list):
            values[name] = [getattr(item, "pk", item) for item in value]
        elif value not in (None, False):
            values[name] = getattr(value, "pk", value)
    return values


def act(someone, model, action, query="", **fields):
    """Choose an action for all rows of a list, all of its pages."""
    sent = {"action": action, "select_across": "1", "_selected_action": ["0"]}
    return someone.post(f"{about(model)}{query}", **sent | fields)
