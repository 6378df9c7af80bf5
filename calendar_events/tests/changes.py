"""Reading the feed of changes in tests."""

from calendar_events.tests.settling import settle


def begin(who, query=""):
    settle()
    answer = who.get(f"/changes{query}")
    assert answer.status_code == 200
    assert answer.json()["changes"] == []
    return answer.json()["next"]


def read(who, token, query=""):
    settle()
    answer = who.get(f"/changes?since={token}{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def rows_of(answer):
    return [(one["type"], one["id"], one["change"]) for one in answer["changes"]]


def refused_as_gone(answer):
    body = answer.json()
    known = (answer.status_code, body["code"], body["data"]["reason"])
    return known == (410, "changes-gone", "changes_gone")
