"""What the load asks the database: people with passwords, events to read, what is there."""

from __future__ import annotations

from io import BytesIO

import PIL.Image
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group
from django.utils import timezone

from authserver.models import Institution, User
from benchmarks.seed.constants import INSTITUTIONS, PASSWORD, person
from calendar_events.models import Event, Status
from calendar_events.permissions import Actor
from calendar_events.services import images


def create(*, count: int) -> None:
    """Create editors of the first institution, of one password."""
    institution = Institution.objects.get(registry_id=INSTITUTIONS[0])
    password = make_password(PASSWORD)
    editors = Group.objects.get(name="editor")
    for number in range(count):
        user = User.objects.create(
            username=person(number), institution=institution, password=password
        )
        user.groups.add(editors)


def readable(*, count: int) -> list[int]:
    """Return identifiers of events that anybody may read."""
    public = Event.objects.filter(status=Status.PUBLISH, password="")
    return list(public.order_by("pk").values_list("pk", flat=True)[:count])


def store_picture() -> bool:
    """Store a picture for an editor; return ``False`` when there is no room for it."""
    user = User.objects.get(username=person(0))
    content = BytesIO()
    PIL.Image.new("RGB", (1000, 1000)).save(content, "PNG")
    try:
        with images.delete_files_on_rollback():
            images.add(
                actor=Actor(user=user, institution=INSTITUTIONS[0]),
                picture=images.decode(content.getvalue(), name="picture"),
                now=timezone.now(),
            )
    except images.NotStored:
        return False
    return True


def titles(*, run: str) -> dict[int, str]:
    """Return the titles of the events that a run created, by identifier."""
    found = Event.objects.filter(title__startswith=f"{run} ")
    return dict(found.values_list("pk", "title"))
