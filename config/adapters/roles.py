"""The roles of the platform: groups of permissions across its apps (decisions 9).

The calendar's own four (editor, author, contributor, reader) are in ``calendar_events``.
"""

from typing import Any, Final

from calendar_events import roles as calendar

TOKENS: Final = tuple(
    f"authserver.{verb}_{kind}token"
    for verb in ("view", "change")
    for kind in ("access", "refresh")
)
ACCOUNTS: Final = (
    *("authserver.view_institution", "authserver.view_user", "authserver.add_user"),
    *("authserver.change_user", "authserver.view_consent", "authserver.view_grant"),
    *("authserver.view_pendingrequest", "authserver.view_auditevent"),
    *TOKENS,
    *(
        f"authserver.{verb}_{name}"
        for verb in ("view", "add", "change", "delete")
        for name in ("signinmethod", "rolerule")
    ),
    *(f"authserver.{verb}_signinrules" for verb in ("view", "add", "change")),
)
KEYS_TO_SEE: Final = tuple(
    f"authserver.view_{name}" for name in ("servicekey", "keyservice", "keyinstitution")
)
KEYS: Final = (
    *KEYS_TO_SEE,
    *("authserver.view_service", "authserver.view_institution"),
    *("authserver.view_auditevent", "authserver.view_refusalcount"),
    *("authserver.add_servicekey", "authserver.change_servicekey"),
    *(
        f"authserver.{verb}_{link}"
        for verb in ("add", "change", "delete")
        for link in ("keyservice", "keyinstitution")
    ),
    *TOKENS,
)
TASKS_TO_SEE: Final = ("django_tasks_database.view_dbtaskresult",)
EVERYTHING_TO_SEE: Final = (
    *(name for name in (*ACCOUNTS, *KEYS) if ".view_" in name),
    "auth.view_group",
    *TASKS_TO_SEE,
    *(f"{calendar.APP}.{name}" for name in calendar.READER),
    *(f"{calendar.APP}.view_webhook{name}" for name in ("subscription", "delivery")),
    *(f"{calendar.APP}.read_unpublished_{record}" for record in calendar.RECORDS),
)
CALENDAR: Final = tuple(f"{calendar.APP}.{name}" for name in calendar.EDITOR)

ROLES: Final[dict[str, tuple[str, ...]]] = {
    "platform operator": (
        *ACCOUNTS,
        *KEYS,
        *EVERYTHING_TO_SEE,
        *CALENDAR,
        "django_tasks_database.change_dbtaskresult",
        *(
            f"authserver.{verb}_{name}"
            for verb in ("add", "change")
            for name in ("institution", "service")
        ),
    ),
    "key manager": KEYS,
    "auditor": EVERYTHING_TO_SEE,
    "institution administrator": (*ACCOUNTS, *KEYS_TO_SEE, *CALENDAR),
}

IN_WORDS: Final[dict[str, str]] = {
    "platform operator": "looks after institutions, accounts, keys and all calendars.",
    "key manager": "makes service keys, rotates their secrets, cancels them.",
    "auditor": "sees everything, changes nothing.",
    "institution administrator": "accounts, tokens and the calendar of one institution.",
    "editor": "creates, changes and publishes everything in the calendar.",
    "author": "creates, and publishes what is theirs.",
    "contributor": "creates drafts, which an editor publishes.",
    "reader": "sees the calendar in the administration.",
}


def create_missing_groups(groups: Any, permissions: Any) -> None:
    """Create each role that is not there; one that is there is an administrator's own."""
    for name, wanted in ROLES.items():
        group, created = groups.objects.get_or_create(name=name)
        if created:
            labels = {each.partition(".")[0] for each in wanted}
            found = permissions.objects.filter(
                content_type__app_label__in=labels
            ).select_related("content_type")
            group.permissions.set(
                permission
                for permission in found
                if f"{permission.content_type.app_label}.{permission.codename}" in wanted
            )
