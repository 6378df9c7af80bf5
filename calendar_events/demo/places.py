"""Where, by whom and about what the demonstration's events are (decisions 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calendar_events.services.inputs import OrganizerChanges, VenueChanges

RIVERSIDE, NORTHGATE = "1001", "1002"

VENUES: dict[str, dict[str, VenueChanges]] = {
    RIVERSIDE: {
        "hall": {
            "name": "Riverside Hall",
            "description": "<p>The university's concert hall, by the water.</p>",
            "address": "1 Quay Street",
            "city": "Riverside",
            "state": "OH",
            "stateprovince": "OH",
            "zip": "43017",
            "country": "United States",
            "phone": "+1 614 555 0100",
            "website": "https://hall.riverside.example/",
            "geo_lat": 40.0992,
            "geo_lng": -83.1141,
        },
        "library": {
            "name": "University Library, reading room",
            "address": "12 Campus Way",
            "city": "Riverside",
            "state": "OH",
            "stateprovince": "OH",
            "country": "United States",
            "geo_lat": 40.1033,
            "geo_lng": -83.1202,
        },
        "gym": {"name": "Sports centre", "city": "Riverside", "show_map": False},
    },
    NORTHGATE: {
        "branch": {
            "name": "Northgate Library, main branch",
            "address": "500 Northgate Avenue",
            "city": "Northgate",
            "state": "WA",
            "stateprovince": "WA",
            "country": "United States",
            "geo_lat": 47.7076,
            "geo_lng": -122.3255,
        },
        "garden": {
            "name": "Library garden",
            "city": "Northgate",
            "geo_lat": 47.7081,
            "geo_lng": -122.3262,
        },
    },
}
ORGANIZERS: dict[str, dict[str, OrganizerChanges]] = {
    RIVERSIDE: {
        "music": {
            "name": "School of Music",
            "email": "music@riverside.example",
            "phone": "+1 614 555 0110",
            "website": "https://music.riverside.example/",
        },
        "students": {"name": "Students' Union", "email": "union@riverside.example"},
    },
    NORTHGATE: {
        "friends": {
            "name": "Friends of the Library",
            "description": "<p>Volunteers who read to children.</p>",
            "email": "friends@northgate.example",
        },
    },
}
# Name → name of the category above, in an order in which parents come first.
CATEGORIES: dict[str, dict[str, str]] = {
    RIVERSIDE: {
        "Culture": "",
        "Concerts": "Culture",
        "Exhibitions": "Culture",
        "Learning": "",
        "Workshops": "Learning",
        "Sport": "",
    },
    NORTHGATE: {"Reading": "", "Story time": "Reading", "Community": ""},
}
TAGS: dict[str, list[str]] = {
    RIVERSIDE: ["Free", "Families", "Outdoors"],
    NORTHGATE: ["Children", "Evening"],
}
