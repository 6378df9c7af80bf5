"""When a lock opens, how long it lasts, and when it is forgotten: pure arithmetic."""

import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authserver.accounts.login_limits import Limit, last_lock

START = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
LIMIT = Limit(
    failures=10,
    again=1,
    window=dt.timedelta(minutes=15),
    shortest=dt.timedelta(seconds=30),
    longest=dt.timedelta(minutes=15),
)
ADDRESS = replace(LIMIT, failures=100, again=100)


def at(*seconds):
    return [START + dt.timedelta(seconds=second) for second in seconds]


def pause_after(*seconds, limit=LIMIT):
    """Return the seconds from the last failure to the end of the lock."""
    lock = last_lock(at(*seconds), limit)
    return None if lock is None else (lock.until - at(seconds[-1])[0]).total_seconds()


def test_nine_failures_lock_nothing():
    assert last_lock(at(*range(9)), LIMIT) is None


def test_the_tenth_failure_locks_for_thirty_seconds():
    assert pause_after(*range(10)) == 30


def test_each_further_failure_doubles_the_pause_up_to_fifteen_minutes():
    failures, pauses = list(range(10)), []
    for _ in range(7):
        pauses.append(pause_after(*failures))
        failures.append(failures[-1] + pauses[-1])

    assert pauses == [30, 60, 120, 240, 480, 900, 900]


def test_ten_failures_spread_over_more_than_the_window_lock_nothing():
    assert last_lock(at(*(second * 100 for second in range(10))), LIMIT) is None


def test_ten_failures_just_within_the_window_lock():
    assert pause_after(*(second * 99.9 for second in range(10))) == 30


def test_a_quiet_window_after_the_lock_forgets_it():
    lock_ends = 9 + 30

    assert last_lock(at(*range(10), lock_ends + 900), LIMIT) is None


def test_a_failure_shortly_before_the_window_has_passed_still_counts():
    lock_ends = 9 + 30

    assert pause_after(*range(10), lock_ends + 899) == 60


def test_no_failures_no_lock():
    assert last_lock([], LIMIT) is None


@given(st.lists(st.integers(0, 900), min_size=11, max_size=60))
def test_a_lock_is_never_shorter_or_longer_than_decided(seconds):
    """Eleven within the window at least, so there is one."""
    seconds.sort()

    lock = last_lock(at(*seconds), LIMIT)

    pause = lock.until - lock.opened_at
    assert lock.opened_at == at(seconds[-1])[0]
    assert LIMIT.shortest <= pause <= LIMIT.longest


@pytest.mark.parametrize("count", [10, 50])
def test_the_lock_of_a_burst_grows_but_stays_within_the_longest_pause(count):
    assert pause_after(*[0] * count) == min(30 * 2 ** (count - 10), 900)


# An address: each further lock needs as many failures as the first.


def test_after_the_lock_of_an_address_ninety_nine_more_failures_lock_nothing():
    burst, after = [0] * 100, [40] * 99

    lock = last_lock(at(*burst, *after), ADDRESS)

    assert lock.until == at(30)[0]


def test_the_hundredth_further_failure_locks_the_address_for_twice_as_long():
    assert pause_after(*[0] * 100, *[40] * 100, limit=ADDRESS) == 60


def test_the_pause_of_an_address_grows_up_to_fifteen_minutes():
    failures, pauses = [0] * 100, []
    for _ in range(7):
        pauses.append(pause_after(*failures, limit=ADDRESS))
        failures += [failures[-1] + pauses[-1]] * 100

    assert pauses == [30, 60, 120, 240, 480, 900, 900]


def test_failures_before_the_lock_of_an_address_do_not_count_for_the_next():
    spread = [*[0] * 100, *[40] * 50, *[929] * 49]

    assert last_lock(at(*spread), ADDRESS).until == at(30)[0]
    assert last_lock(at(*spread, 929.9), ADDRESS).until == at(929.9 + 60)[0]
    assert last_lock(at(*spread, 940), ADDRESS) is None


@pytest.mark.parametrize(("later", "pause"), [(929, 60), (930, 30)])
def test_the_growth_is_forgotten_a_window_after_the_lock_of_an_address(later, pause):
    assert pause_after(*[0] * 100, *[later] * 100, limit=ADDRESS) == pause
