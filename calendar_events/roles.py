"""The roles of the events interface as groups of Django permissions.

Who may do what is contract events 8 as mended by decisions 7: contributors
create drafts and change their own while unpublished; authors publish and change their own;
editors do everything; readers only look. Ownership is checked by ``services``; the
permission ``change_event`` alone means "one's own".
"""

from typing import Any

APP = "calendar_events"
RECORDS = ("event", "venue", "organizer")

READER = [f"view_{record}" for record in (*RECORDS, "term", "image")]
CONTRIBUTOR = [
    *READER,
    *(f"{verb}_{record}" for verb in ("add", "change", "delete") for record in RECORDS),
]
AUTHOR = [
    *CONTRIBUTOR,
    *(f"publish_{record}" for record in RECORDS),
    "add_image",
]
EDITOR = [
    *AUTHOR,
    *(
        f"{verb}_{record}"
        for verb in ("change_others", "delete_others", "read_unpublished")
        for record in RECORDS
    ),
    *(f"{verb}_term" for verb in ("add", "change", "delete")),
    *(f"{verb}_image" for verb in ("change", "delete")),
    "manage_categories",
    "manage_tags",
    *(f"{verb}_webhooksubscription" for verb in ("view", "add", "change", "delete")),
    *(f"{verb}_webhookdelivery" for verb in ("view", "change")),
]
ROLES: dict[str, list[str]] = {
    "editor": EDITOR,
    "author": AUTHOR,
    "contributor": CONTRIBUTOR,
    "reader": READER,
}


def create_missing_groups(groups: Any, permissions: Any) -> None:
    """Create each group that is not there; one that is there is an administrator's own."""
    for name, codenames in ROLES.items():
        group, created = groups.objects.get_or_create(name=name)
        if created:
            group.permissions.set(
                permissions.objects.filter(
                    content_type__app_label=APP, codename__in=codenames
                )
            )
