"""When a lock opens, how long it lasts, and when it is forgotten: pure arithmetic."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authserver.login_limits import Limit, locked_until

START = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
LIMIT = Limit(
    failures=10,
    window=dt.timedelta(minutes=15),
    shortest=dt.timedelta(seconds=30),
    longest=dt.timedelta(minutes=15),
)


def at(*seconds):
    return [START + dt.timedelta(seconds=second) for second in seconds]


def pause_after(*seconds):
    """Return the seconds from the last failure to the end of the lock."""
    until = locked_until(at(*seconds), LIMIT)
    return None if until is None else (until - at(seconds[-1])[0]).total_seconds()


def test_nine_failures_lock_nothing():
    assert locked_until(at(*range(9)), LIMIT) is None


def test_the_tenth_failure_locks_for_thirty_seconds():
    assert pause_after(*range(10)) == 30


def test_each_further_failure_doubles_the_pause_up_to_fifteen_minutes():
    failures, pauses = list(range(10)), []
    for _ in range(7):
        pauses.append(pause_after(*failures))
        failures.append(failures[-1] + pauses[-1])

    assert pauses == [30, 60, 120, 240, 480, 900, 900]


def test_ten_failures_spread_over_more_than_the_window_lock_nothing():
    assert locked_until(at(*(second * 100 for second in range(10))), LIMIT) is None


def test_ten_failures_just_within_the_window_lock():
    assert pause_after(*(second * 99.9 for second in range(10))) == 30


def test_a_quiet_window_after_the_lock_forgets_it():
    lock_ends = 9 + 30

    assert locked_until(at(*range(10), lock_ends + 900), LIMIT) is None


def test_a_failure_shortly_before_the_window_has_passed_still_counts():
    lock_ends = 9 + 30

    assert pause_after(*range(10), lock_ends + 899) == 60


def test_no_failures_no_lock():
    assert locked_until([], LIMIT) is None


@given(st.lists(st.integers(0, 900), min_size=11, max_size=60))
def test_a_lock_is_never_shorter_or_longer_than_decided(seconds):
    """Eleven within the window at least, so there is one."""
    seconds.sort()

    until = locked_until(at(*seconds), LIMIT)

    pause = until - at(seconds[-1])[0]
    assert LIMIT.shortest <= pause <= LIMIT.longest


@pytest.mark.parametrize("count", [10, 50])
def test_the_lock_of_a_burst_grows_but_stays_within_the_longest_pause(count):
    assert pause_after(*[0] * count) == min(30 * 2 ** (count - 10), 900)
