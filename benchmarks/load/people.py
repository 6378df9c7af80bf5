"""What the load asks the database: people with passwords, events to read, what is there."""

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group

from authserver.models import Institution, User
from benchmarks.seed.constants import INSTITUTIONS, PASSWORD, person
from calendar_events.models import Event, Status


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


def titles(*, run: str) -> dict[int, str]:
    """Return the titles of the events that a run created, by identifier."""
    found = Event.objects.filter(title__startswith=f"{run} ")
    return dict(found.values_list("pk", "title"))
