"""Bodies of creates that are valid by default."""


def event(**changes):
    """An evening in January 2031."""
    return {
        "title": "Evening",
        "start_date": "2031-01-15 19:00:00",
        "end_date": "2031-01-15 21:00:00",
        **changes,
    }


BODIES = {
    "events": event(),
    "venues": {"venue": "Hall"},
    "organizers": {"organizer": "Club"},
    "categories": {"name": "Music"},
    "tags": {"name": "outdoor"},
}
NAMES = {
    "events": "title",
    "venues": "venue",
    "organizers": "organizer",
    "categories": "name",
    "tags": "name",
}
KINDS = {
    "events": "event",
    "venues": "venue",
    "organizers": "organizer",
    "categories": "category",
    "tags": "tag",
}
RECORDS = ["events", "venues", "organizers"]
TERMS = ["categories", "tags"]
