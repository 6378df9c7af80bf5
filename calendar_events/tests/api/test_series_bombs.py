"""Rules and lists of dates that were made to cost."""

import json

import pytest

from calendar_events.models import Event
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.series import yoga
from calendar_events.tests.steps import steps

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

EVERY_MONTH = ",".join(map(str, range(1, 13)))
EVERY_DAY = ",".join(map(str, [*range(1, 367), *range(-366, 0)]))
BOMBS = {
    "nothing to choose from": {"rrule": "FREQ=DAILY;BYSETPOS=1"},
    "two thousand million": {"rrule": "FREQ=DAILY;COUNT=2147483648"},
    "a huge number": {"rrule": f"FREQ=DAILY;COUNT={'9' * 400}"},
    "a huge interval": {"rrule": f"FREQ=YEARLY;INTERVAL={'9' * 400}"},
    "the longest interval": {"rrule": "FREQ=YEARLY;INTERVAL=1000;COUNT=2000"},
    "the last year": {"rrule": "FREQ=DAILY;UNTIL=99991231"},
    "beyond the last year": {"rrule": "FREQ=DAILY;UNTIL=100000101"},
    "a day that never is": {"rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"},
    "one that hardly is": {"rrule": "FREQ=DAILY;INTERVAL=997;BYMONTH=2;BYMONTHDAY=29"},
    "a week that never is": {"rrule": "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6;COUNT=2000"},
    "everything at once": {
        "rrule": f"FREQ=YEARLY;BYMONTH={EVERY_MONTH};BYDAY=MO,TU,WE,TH,FR,SA,SU;COUNT=2001"
    },
    "many positions": {
        "rrule": f"FREQ=YEARLY;BYDAY=MO,TU;BYSETPOS={','.join(map(str, range(1, 367)))}"
    },
    "a long rule": {"rrule": f"FREQ=YEARLY;BYYEARDAY={EVERY_DAY}"},
    "parts without end": {"rrule": ";" * 500_000},
    "many dates left out": {"exdate": ["2031-01-06"] * 60_000},
    "other dates left out": {"exdate": [f"2031-01-06 {n:05}" for n in range(30_000)]},
    "many single dates": {"rrule": None, "rdate": ["2031-01-07"] * 60_000},
    "deep lists": {"rdate": json.loads("[" * 12 + "]" * 12)},
    "a text of dates": {"exdate": "2031-01-06," * 60_000},
    "at the end of time": {
        "start_date": "9999-12-31 23:00",
        "end_date": "9999-12-31 23:59",
        "rrule": "FREQ=YEARLY;COUNT=2000",
    },
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("way", ["create", "begin"])
def test_what_was_made_to_cost_is_refused_at_little_cost(editor, name, way):
    answers = []
    body = {**yoga(), **BOMBS[name]}
    event = EventFactory() if way == "begin" else None
    editor.get("/events")  # what is loaded once
    before = Event.objects.count()

    def send():
        if event is None:
            answers.append(editor.post("/events", body))
        else:
            answers.append(editor.patch(f"/events/{event.pk}", body))

    count = steps(send)

    assert answers[0].status_code == 400, answers[0].content[:300]
    assert set(answers[0].json()["data"]["params"]) <= {"rrule", "rdate", "exdate"}
    assert len(answers[0].content) < 5_000
    assert Event.objects.count() == before
    assert count < 600_000


@pytest.mark.parametrize("size", [2_000_000, 10_000_000])
def test_a_body_of_megabytes_is_refused(editor, size):
    body = json.dumps(yoga(exdate=["2031-01-06"], description="x" * size))

    assert editor.post("/events", body).status_code in {400, 413}
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    "token",
    [
        *("", "0", "-1", "null", "a.b", "." * 400, "x" * 100_000, "%00", "%ff%fe"),
        *("eyJh.eyJh", "W10.W10", "[]", "\N{SNOWMAN}", "W1tbW1tbW10.1"),
    ],
    ids=lambda token: token[:12],
)
def test_what_is_no_token_is_refused_at_once(anonymous, token):
    answers = []
    anonymous.get("/changes")

    count = steps(lambda: answers.append(anonymous.get(f"/changes?since={token}&wait=25")))

    assert answers[0].status_code == 400
    assert set(answers[0].json()["data"]["params"]) == {"since"}
    assert count < 20_000 + 10 * len(token)


def test_a_token_that_was_cut_or_changed_is_none(anonymous):
    token = anonymous.get("/changes").json()["next"]

    for place in range(0, len(token), 7):
        other = "A" if token[place] != "A" else "B"
        for text in (token[:place], token[:place] + other + token[place + 1 :]):
            response = anonymous.get(f"/changes?since={text}")
            assert response.status_code == 400, text
