"""Thunderbird's library shows the dates of a series that the interface answers."""

import json
import subprocess

import pytest

from authserver.tests import npm
from calendar_events.tests.callers import caller
from calendar_events.tests.series import dates_of, yoga
from platform_errors.tests.store import MemoryKeyStore

pytestmark = [pytest.mark.django_db, pytest.mark.processes]

VERSION = "2.2.1"
PROGRAM = """
import { readFileSync } from "node:fs";
const { default: ICAL } = await import(process.argv[2]);
const calendar = new ICAL.Component(ICAL.parse(readFileSync(process.argv[3], "utf8")));
for (const zone of calendar.getAllSubcomponents("vtimezone"))
    ICAL.TimezoneService.register(zone);
const events = calendar.getAllSubcomponents("vevent").map(one => new ICAL.Event(one));
const series = events.find(one => !one.isRecurrenceException());
for (const one of events) if (one !== series) series.relateException(one);
const dates = series.iterator(), shown = [];
for (let next; shown.length < 200 && (next = dates.next());) {
    const { startDate, item } = series.getOccurrenceDetails(next);
    const moment = new Date(startDate.toUnixTime() * 1000).toISOString();
    const date = startDate.isDate ? startDate.toString() : moment.slice(0, 19);
    shown.push([date, item.summary]);
}
console.log(JSON.stringify(shown));
"""


@pytest.fixture
def editor(db, settings):
    """Return an editor whose key is in memory, as the calendar's own tests have them."""
    store = f"{MemoryKeyStore.__module__}.{MemoryKeyStore.__name__}"
    settings.PLATFORM_ERRORS = {**settings.PLATFORM_ERRORS, "KEY_STORE": store}
    yield caller("editor")
    MemoryKeyStore.clear()


@pytest.fixture(scope="module")
def library(request):
    """Install the library before a test's transaction, which may not wait long."""
    directory = npm.installed(request.config, "ical.js", VERSION)
    return directory / "node_modules/ical.js/dist/ical.js"


@pytest.fixture
def show(library, tmp_path):
    """Return what the library shows of a series: dates and titles, in order."""

    def of(caller, series):
        program, calendar = tmp_path / "show.mjs", tmp_path / "series.ics"
        program.write_text(PROGRAM)
        calendar.write_bytes(caller.get(f"/series/{series}.ics").content)
        ended = subprocess.run(
            ["node", program, library, calendar],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return sorted(map(tuple, json.loads(ended.stdout)))

    return of


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"timezone": "UTC+5:30"},
        {"timezone": "America/New_York", "rrule": "FREQ=DAILY;COUNT=45"},
        {"start_date": "2031-03-29 02:30", "end_date": "2031-03-29 03:00",
         "rrule": "FREQ=DAILY;COUNT=4"},
        {"all_day": True, "rrule": "FREQ=MONTHLY;UNTIL=20310801"},
        {"rdate": ["2031-01-08 09:15"], "exdate": ["2031-01-13"]},
        {"rrule": "FREQ=MONTHLY;BYDAY=1MO;COUNT=6"},
        {"rrule": "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1;COUNT=5"},
    ],
)  # fmt: skip
def test_thunderbird_s_library_shows_the_same_dates(editor, show, changes):
    answer = editor.post("/events", yoga(**changes))
    assert answer.status_code == 201, answer.json()
    series = answer.json()["recurrence"]["series"]
    events = dates_of(editor, series)
    moved = {"start_date": "2031-07-01 10:00", "end_date": "2031-07-01 11:00"}
    second = events[1]["id"]
    change = {"title": "Outside"} | ({} if changes.get("all_day") else moved)
    assert editor.patch(f"/events/{second}", change).status_code == 200

    expected = [
        (
            one["start_date"][:10]
            if one["all_day"]
            else one["utc_start_date"].replace(" ", "T"),
            one["title"],
        )
        for one in dates_of(editor, series)
    ]
    assert show(editor, series) == sorted(expected)
