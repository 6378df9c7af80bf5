"""Reading variables: one that must be set, those that are set, a URL prefix."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import environ
from django.core.exceptions import ImproperlyConfigured

if TYPE_CHECKING:
    from collections.abc import Callable

env = environ.Env()


def required(name: str) -> str:
    """Return a variable that must be set.

    Raises ``ImproperlyConfigured`` naming it, so that the start stops with a sentence.
    """
    value: str = env.str(name, "")
    if not value:
        raise ImproperlyConfigured(
            f"{name} is not set. Set it in the environment or in .env (see .env.example), "
            "or set DEMO=1 to try the server with throwaway values."
        )
    return value


def given(cast: Callable[[str], Any], *names: str) -> dict[str, Any]:
    """Return those of the variables that are set; each app has the defaults of the rest."""
    return {name: cast(name) for name in names if name in os.environ}


def mount(name: str, default: str) -> str:
    """Return a URL prefix without a leading and with a trailing slash, or empty."""
    value = env.str(name, default).strip("/")
    return f"{value}/" if value else ""
