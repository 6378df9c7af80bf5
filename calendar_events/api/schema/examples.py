"""Examples of requests and answers for the OpenAPI document, from ``examples.json``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

import orjson
from drf_spectacular.utils import OpenApiExample

_FILE = Path(__file__).with_name("examples.json")
BODIES = {"create": "body", "update": "change"}
REFUSAL = {
    "code": "rest_invalid_param",
    "message": "Invalid parameter(s): start_date",
    "data": {
        "status": 400,
        "reason": "parameters_invalid",
        "params": {"start_date": "This is not a date."},
        "details": {
            "start_date": {
                "code": "rest_invalid_date",
                "message": "This is not a date.",
                "data": {"param": "start_date"},
            }
        },
    },
}


@cache
def _examples() -> dict[str, dict[str, Any]]:
    return cast("dict[str, dict[str, Any]]", orjson.loads(_FILE.read_bytes()))


def of_operation(resource: str, action: str) -> list[OpenApiExample]:
    """Return the examples of what is sent, what is answered, and a refusal.

    ``resource`` is its singular, such as ``event``; ``action`` the viewset's.
    """
    known = _examples()[resource]
    found = [
        OpenApiExample(
            f"{resource} {'page' if action == 'list' else 'answer'}",
            known["list" if action == "list" else "one"],
            response_only=True,
            status_codes=["201" if action == "create" else "200"],
        ),
        OpenApiExample("refusal", REFUSAL, response_only=True, status_codes=["400"]),
    ]
    if action in BODIES:
        body = known[BODIES[action]]
        found.append(
            OpenApiExample(
                f"{resource} {action}",
                body,
                request_only=True,
                media_type="application/json",
            )
        )
    return found
