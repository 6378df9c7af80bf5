"""Lanes: one request at a time unless one waits, few threads, nobody waits for ever."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from config.serving import lanes
from config.serving.lanes import Overloaded
from config.tests.loops import run


def Lane(**options):  # noqa: N802 -- the class, with patience for a busy machine
    return lanes.Lane(**{"patience": 60, **options})


def together(lane_options, *works):
    """Run the works at once in a new lane; return their results or exceptions."""

    async def main():
        lane = Lane(**lane_options)
        return await asyncio.gather(
            *(lane.run(work) for work in works), return_exceptions=True
        )

    return run(main())


class Counting:
    """Work that notes how many of its kind run at the same time."""

    def __init__(self, seconds=0.0, until=None):
        self.seconds, self.until = seconds, until
        self.running = self.most = 0
        self.lock = threading.Lock()

    def __call__(self):
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        if self.until is not None:
            self.until.wait(120)
        time.sleep(self.seconds)
        with self.lock:
            self.running -= 1
        return threading.current_thread().name


def test_the_result_of_the_work_is_returned_and_what_it_raises_is_raised():
    def fail():
        raise ValueError("no")

    one, two = together({"threads": 2}, lambda: 1, fail)

    assert one == 1
    assert isinstance(two, ValueError)


def test_quick_requests_run_one_after_the_other_in_one_thread(monkeypatch):
    monkeypatch.setattr(lanes, "GIVES_WAY_AFTER", 60)
    work = Counting(seconds=0.001)

    names = together({"threads": 4}, *[work] * 10)

    assert work.most == 1
    assert len(set(names)) == 1


def test_a_request_that_waits_lets_the_next_one_start():
    released = threading.Event()
    waits = Counting(until=released)

    def release():
        released.set()
        return "quick"

    results = together({"threads": 2}, waits, release)

    assert results[1] == "quick"


def test_no_more_run_than_there_are_threads():
    work = Counting(seconds=3 * lanes.GIVES_WAY_AFTER)

    together({"threads": 3}, *[work] * 7)

    assert work.most == 3


def test_who_waits_too_long_is_sent_away_and_the_next_ones_too():
    released = threading.Event()
    stuck = Counting(until=released)

    async def main():
        lane = Lane(threads=1, patience=0.1)
        first = asyncio.ensure_future(lane.run(stuck))
        results = await asyncio.gather(
            *(lane.run(lambda: None) for _ in range(3)), return_exceptions=True
        )
        released.set()
        await first
        lane.patience = 60
        return results, await lane.run(lambda: "again")

    results, again = run(main())

    assert [type(result) for result in results] == [Overloaded] * 3
    assert again == "again"


def test_who_comes_when_too_many_wait_is_sent_away_at_once():
    released = threading.Event()

    async def main():
        lane = Lane(threads=1, most_waiting=1)
        held = [asyncio.ensure_future(lane.run(lambda: released.wait(120))) for _ in "ab"]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await lane.run(lambda: None)
        released.set()
        return await asyncio.gather(*held)

    assert run(main()) == [True, True]


def test_work_whose_client_left_is_finished_and_its_thread_comes_back():
    released = threading.Event()
    finished = []

    def work():
        released.wait(120)
        finished.append(True)

    async def main():
        lane = Lane(threads=1)
        task = asyncio.ensure_future(lane.run(work))
        await asyncio.sleep(0.01)
        task.cancel()
        released.set()
        return await lane.run(lambda: "next")

    assert run(main()) == "next"
    assert finished == [True]


def test_work_that_waits_is_not_begun_when_its_client_has_left():
    released, begun = threading.Event(), []

    async def main():
        lane = Lane(threads=1)
        first = asyncio.ensure_future(lane.run(lambda: released.wait(120)))
        left = asyncio.ensure_future(lane.run(lambda: begun.append("left")))
        stays = asyncio.ensure_future(lane.run(lambda: begun.append("stays")))
        await asyncio.sleep(0.05)
        left.cancel()
        released.set()
        await asyncio.gather(first, stays)
        return left.cancelled()

    assert run(main())
    assert begun == ["stays"]


def test_a_thread_without_work_ends_and_says_so(monkeypatch):
    monkeypatch.setattr(lanes, "IDLE_SECONDS", 0.05)
    ended = threading.Event()

    async def main():
        lane = Lane(threads=1, on_thread_end=ended.set)
        await lane.run(lambda: None)
        await asyncio.sleep(0.3)
        assert lane.idle == []
        return await lane.run(lambda: "a new one")

    assert run(main()) == "a new one"
    assert ended.is_set()
