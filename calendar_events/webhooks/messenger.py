"""The loop's body: makes messages of changes, sends what is due, and writes the answers.

One thread asks the database; a bounded number of others wait for receivers.
"""

import logging
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime

from django.db import InterfaceError, OperationalError
from django.utils import timezone

from calendar_events.conf import conf
from calendar_events.models import WebhookSubscription
from calendar_events.webhooks import fan_out, sending, turns
from calendar_events.webhooks.sending import Answer
from calendar_events.webhooks.turns import Turn

logger = logging.getLogger(__name__)

AT_ONCE = 50
"""Subscriptions whose messages are made between two looks at what is due."""
UNSIGNED = Answer(milliseconds=0, error="no encryption key opens the secret")


class Messenger:
    """Sends the messages of all subscriptions; several may run at once."""

    def __init__(self) -> None:
        """Begin with nothing under way."""
        self._most = conf.webhooks_at_once
        self._threads = ThreadPoolExecutor(self._most, thread_name_prefix="webhook")
        self._under_way: dict[Future[Answer], Turn] = {}
        self._last = 0

    def step(self) -> bool:
        """Do what can be done now; return whether there is something left to do.

        Raises ``DatabaseError``; whatever was under way is tried again by its lease.
        """
        self._give_back()
        if not WebhookSubscription.objects.active().exists():
            return bool(self._under_way)
        is_more = self._read_log()
        self._send()
        return is_more or bool(self._under_way)

    def wait(self, seconds: float) -> bool:
        """Wait for an answer, for so long at most; return whether any is waited for."""
        if not self._under_way:
            return False
        wait(self._under_way, timeout=seconds, return_when=FIRST_COMPLETED)
        return True

    def close(self) -> None:
        """Wait for what is under way, and write the answers. Raises ``DatabaseError``."""
        self._threads.shutdown()
        self._give_back()

    def _read_log(self) -> bool:
        """Make messages for some of the subscriptions; return whether some are left."""
        now = timezone.now()
        found = fan_out.behind(now, after=self._last, at_most=AT_ONCE)
        is_more = [_read_on(pk, now) for pk in found]
        self._last = found[-1] if len(found) == AT_ONCE else 0
        return any(is_more) or self._last > 0

    def _send(self) -> None:
        failing = max(1, self._most // 2)
        found = turns.take(
            timezone.now(),
            under_way=self._under_way.values(),
            at_most=self._most,
            failing=failing,
            per_key=max(1, self._most - failing - 1),  # one place is left for other keys
        )
        for turn in found:
            if not turn.headers:
                turns.give_back(turn, UNSIGNED, now=timezone.now())
                continue
            future = self._threads.submit(
                sending.send, turn.url, headers=turn.headers, payload=turn.payload
            )
            self._under_way[future] = turn

    def _give_back(self) -> None:
        for future in [each for each in self._under_way if each.done()]:
            turn = self._under_way[future]
            turns.give_back(turn, _answer(future), now=timezone.now())
            del self._under_way[future]


def _read_on(pk: int, now: datetime) -> bool:
    """Make messages; a mistake of ours with one subscription harms no other."""
    try:
        return fan_out.read_on(pk, now=now)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("The changes of webhook %d could not be read", pk)
        return False


def _answer(future: Future[Answer]) -> Answer:
    """Return the answer; a mistake of ours is a failed attempt, and no end of the loop."""
    if error := future.exception():
        logger.error("A webhook could not be sent", exc_info=error)
        return Answer(milliseconds=0, error="the message could not be sent")
    return future.result()
