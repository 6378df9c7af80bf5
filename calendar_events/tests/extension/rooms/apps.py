"""The app registers its type when it is ready."""

from django.apps import AppConfig


class RoomsConfig(AppConfig):
    """Rooms of buildings."""

    name = "calendar_events.tests.extension.rooms"
    label = "rooms"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from calendar_events.models import kinds  # noqa: PLC0415 -- after app loading
        from calendar_events.tests.extension.rooms.models import Room  # noqa: PLC0415

        package = "calendar_events.tests.extension.rooms"
        kinds.register(
            kinds.Kind(
                model=Room,
                singular="room",
                plural="rooms",
                summary="Where people meet.",
                document=f"{package}.views.RoomDocument",
                viewset=f"{package}.views.RoomViewSet",
            )
        )
