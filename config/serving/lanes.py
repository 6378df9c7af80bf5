"""Who runs when: threads in lanes, so that a request that waits holds up only its like.

A lane normally runs one request at a time. More threads than that in one process only take
the interpreter's lock from each other: the slowest answers get slower and none gets faster.
A request that waits for a lock, a slow statement or a picture does not use the interpreter,
though. So one that has run for ``GIVES_WAY_AFTER`` seconds no longer counts, and the next
starts beside it, up to the lane's number of threads.

Everything but ``_Thread.run`` happens in the thread of the event loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

GIVES_WAY_AFTER = 0.05
"""Seconds after which a running request lets the next one start."""
IDLE_SECONDS = 60.0
"""Seconds after which an unused thread ends."""


class Overloaded(Exception):
    """Too many requests wait in the lane, or this one has waited too long."""


class Lane:
    """A bounded number of threads for one kind of request, first come, first served."""

    def __init__(
        self,
        *,
        threads: int,
        at_once: int = 1,
        most_waiting: int = 500,
        patience: float = 3.0,
        on_thread_end: Callable[[], None] | None = None,
    ) -> None:
        """Start without threads; they are made when needed.

        ``at_once``: how many may be in their first moments together. ``most_waiting``: how
        many may wait for a thread, ``patience``: for how many seconds. ``on_thread_end`` is
        called in a thread before it ends, for what belongs to it.
        """
        self.threads, self.at_once = threads, at_once
        self.most_waiting, self.patience = most_waiting, patience
        self.on_thread_end = on_thread_end
        self.loop = asyncio.get_running_loop()
        self.idle: list[_Thread] = []
        self._busy = 0
        self._started: dict[asyncio.Future[Any], float] = {}
        self._waiting: deque[_Waiting] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def running(self) -> int:
        """How many requests have a thread."""
        return self._busy

    @property
    def waiting(self) -> int:
        """How many requests wait for a thread."""
        return len(self._waiting)

    async def run(self, work: Callable[[], T]) -> T:
        """Call ``work`` in a thread of the lane and return what it returns.

        Raises what it raises, and ``Overloaded`` when it cannot start in time.
        """
        done: asyncio.Future[T] = self.loop.create_future()
        if not self._waiting and self._has_room():
            self._start(work, done)
        elif len(self._waiting) < self.most_waiting:
            self._waiting.append(_Waiting(work, done, self.loop.time()))
            self._set_timer()
        else:
            raise Overloaded
        # A client that leaves cancels ``done``: what has begun is finished all the same.
        return await done

    def _has_room(self) -> bool:
        """Return whether one more may start now."""
        if self._busy >= self.threads:
            return False
        if len(self._started) >= self.at_once:
            now = self.loop.time()
            for done, since in list(self._started.items()):
                if now - since >= GIVES_WAY_AFTER:
                    del self._started[done]
        return len(self._started) < self.at_once

    def _start(self, work: Callable[[], Any], done: asyncio.Future[Any]) -> None:
        self._started[done] = self.loop.time()
        self._busy += 1
        thread = self.idle.pop() if self.idle else _Thread(self)
        thread.inbox.put((work, done))

    def _admit(self) -> None:
        """Start those who wait, as far as there is room."""
        while self._waiting and self._has_room():
            waiting = self._waiting.popleft()
            if not waiting.done.cancelled():
                self._start(waiting.work, waiting.done)

    def _set_timer(self) -> None:
        if self._timer is None and self._waiting:
            self._timer = self.loop.call_later(GIVES_WAY_AFTER, self._on_timer)

    def _on_timer(self) -> None:
        """See who has given way meanwhile, and send away who has waited too long."""
        self._timer = None
        self._admit()
        latest = self.loop.time() - self.patience
        while self._waiting and self._waiting[0].since < latest:
            done = self._waiting.popleft().done
            if not done.cancelled():
                done.set_exception(Overloaded())
        self._set_timer()

    def finished(
        self,
        thread: _Thread,
        done: asyncio.Future[Any],
        result: Any,
        error: BaseException | None,
    ) -> None:
        """Take back the thread, and hand over what came of its work."""
        self._busy -= 1
        self._started.pop(done, None)
        self.idle.append(thread)
        if not done.done():
            if error is None:
                done.set_result(result)
            else:
                done.set_exception(error)
        self._admit()

    def retire(self, thread: _Thread) -> None:
        """Let a thread end that has had nothing to do, unless it just got work."""
        if thread in self.idle:
            self.idle.remove(thread)
            thread.inbox.put(None)


class _Waiting(NamedTuple):
    """Work that waits for a thread, since that moment of the loop's clock."""

    work: Callable[[], Any]
    done: asyncio.Future[Any]
    since: float


class _Thread(threading.Thread):
    """One thread of a lane, with a mailbox of its own: the last used is used first."""

    def __init__(self, lane: Lane) -> None:
        super().__init__(daemon=True)
        self.lane = lane
        self.inbox: SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = (
            SimpleQueue()
        )
        self.start()

    def run(self) -> None:
        """Run what comes in, until the sentinel ``None`` does."""
        lane = self.lane
        while True:
            try:
                task = self.inbox.get(timeout=IDLE_SECONDS)
            except Empty:
                if not self._tell(lane.retire, self):
                    return
                task = self.inbox.get()
            if task is None:
                break
            work, done = task
            result, error = None, None
            try:
                result = work()
            except BaseException as raised:  # noqa: BLE001 -- raised again where it is awaited
                error = raised
            if not self._tell(lane.finished, self, done, result, error):
                return
            del task, work, done, result, error  # nothing of a request outlives it here
        if lane.on_thread_end is not None:
            lane.on_thread_end()

    def _tell(self, callback: Callable[..., None], *arguments: Any) -> bool:
        """Call back in the event loop; ``False`` when that is closed, for all ends."""
        try:
            self.lane.loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:
            return False
        return True
