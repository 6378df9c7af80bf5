"""A loop that works in the background until it is told to stop."""

import logging
import threading

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections

from platform_errors.logging.circuit_breaker import PAUSE_SECONDS, CircuitBreaker

logger = logging.getLogger(__name__)
outage = CircuitBreaker("The database failed, background work waits for it")


class Loop:
    """Does what there is to do, again and again."""

    def __init__(self) -> None:
        """Begin with nothing done."""
        self.stopping = threading.Event()

    def run(self) -> None:
        """Work until ``stop`` is called; a database that is away is waited for."""
        while not self.stopping.is_set():
            pause = settings.TASK_POLL_SECONDS
            try:
                self.turn()
            except (DatabaseError, InterfaceError) as error:
                outage.trip(error)
                connections.close_all()
                pause = PAUSE_SECONDS
            except Exception:
                logger.exception("Background work failed, and goes on")
                pause = PAUSE_SECONDS
            self.stopping.wait(pause)
        connections.close_all()

    def turn(self) -> None:
        """Do what one turn of the loop does. Raises ``DatabaseError``."""
        self.run_once()

    def run_once(self) -> None:
        """Do what there is to do now. Raises ``DatabaseError``."""
        raise NotImplementedError

    def stop(self) -> None:
        """Finish what is under way, and begin nothing else."""
        self.stopping.set()

    def start(self, name: str) -> threading.Thread:
        """Run in a thread, which ends with the process."""
        thread = threading.Thread(target=self.run, name=name, daemon=True)
        thread.start()
        return thread
