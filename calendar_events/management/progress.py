"""Long work in management commands: seen, counted, and ended between two batches.

::

    with progress.shown("clear_expired", unit="rows", verbosity=1) as work:
        for batch in batches:
            with transaction.atomic():
                number = delete(batch)
            work.advance(number)

On a terminal it is a bar; elsewhere lines in the log, so that a timer's journal has them.
"""

import logging
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.core.management.base import CommandError
from tqdm import tqdm

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_LINES = 10.0
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Interrupted(CommandError):
    """Somebody stopped the command; what ``advance`` counted is kept.

    The command ends with one sentence and, as a shell expects, 128 plus the signal.
    """

    def __init__(self, sentence: str, number: int) -> None:
        """Say what was done; ``number`` is the signal's."""
        super().__init__(sentence, returncode=128 + number)


class Progress:
    """How far a command has come."""

    def __init__(
        self, command: str, *, unit: str, total: int | None, verbosity: int
    ) -> None:
        """Begin at nothing; ``total`` is ``None`` where to count costs as much as to do."""
        self.command, self.unit, self.total = command, unit, total
        self.done = 0
        self.going_on = "run it again to go on"
        self.is_logged = verbosity > 0 and not sys.stderr.isatty()
        self.stopped_by: signal.Signals | None = None
        self._next_line = time.monotonic() + SECONDS_BETWEEN_LINES
        self._bar = tqdm(
            desc=command,
            unit=f" {unit}",
            total=total,
            file=sys.stderr,
            disable=verbosity == 0 or self.is_logged,
        )

    def advance(self, number: int, *, going_on: str = "") -> None:
        """Count what has been committed.

        ``going_on`` says how to continue from here, where that takes more than running the
        command again. Raises ``Interrupted`` when a signal came since the last call.
        """
        self.done += number
        self.going_on = going_on or self.going_on
        self._bar.update(number)
        if self.is_logged and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + SECONDS_BETWEEN_LINES
            logger.info(
                "%s: %s",
                self.command,
                str(self),
                extra={"command": self.command, "done": self.done, "total": self.total},
            )
        if self.stopped_by is not None:
            raise self.interrupted(self.stopped_by)

    def __str__(self) -> str:
        """Return, for example, ``1,500 of 3,000 records``."""
        of_all = "" if self.total is None else f" of {self.total:,}"
        return f"{self.done:,}{of_all} {self.unit}"

    def interrupted(self, by: signal.Signals) -> Interrupted:
        """Return what ends the command."""
        return Interrupted(
            f"{self.command} was stopped by {by.name} after {self}; {self.going_on}.", by
        )

    def stop(self, number: int, _frame: Any) -> None:
        """Finish the batch, then stop; a second signal undoes the batch and stops at once.

        ``number`` is the signal's.
        """
        if self.stopped_by is not None:
            raise KeyboardInterrupt  # psycopg cancels the statement for this one
        self.stopped_by = signal.Signals(number)

    def close(self) -> None:
        """Leave the bar as it is, on a line of its own."""
        self._bar.close()


@contextmanager
def shown(
    command: str, *, unit: str, total: int | None = None, verbosity: int = 1
) -> Iterator[Progress]:
    """Show the work of the block, and end it between two batches when a signal comes.

    ``unit`` is what is counted, in the plural. Nothing is shown with a ``verbosity`` of 0.
    """
    work = Progress(command, unit=unit, total=total, verbosity=verbosity)
    # Only the main thread may; elsewhere the work belongs to somebody who can be stopped.
    can_be_stopped = threading.current_thread() is threading.main_thread()
    kept = {each: signal.signal(each, work.stop) for each in SIGNALS if can_be_stopped}
    try:
        yield work
    except KeyboardInterrupt:
        raise work.interrupted(work.stopped_by or signal.SIGINT) from None
    finally:
        for each, handler in kept.items():
            signal.signal(each, handler)
        work.close()
