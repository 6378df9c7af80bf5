"""Run ``manage.py`` in a process that halts in the middle of its work.

    python -m config.tests.change.halting MODULE:NAME CALL[,CALL] COMMAND [ARGUMENT ...]

It stops itself, as ``kill -STOP`` would, after the given calls of the function. What
happens to it meanwhile has happened when it goes on: no test depends on who is faster.
"""

import os
import signal
import sys
from importlib import import_module
from itertools import count

import django
from django.core.management import execute_from_command_line

from calendar_events.management import progress


def halt_in(place, calls):
    """Replace the function by one that does the same and then halts."""
    module, _, path = place.partition(":")
    *owners, name = path.split(".")
    owner = import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    original, number = getattr(owner, name), count(1)

    def halting(*arguments, **options):
        answer = original(*arguments, **options)
        if next(number) in calls:
            os.kill(os.getpid(), signal.SIGSTOP)
        return answer

    setattr(owner, name, halting)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    progress.SECONDS_BETWEEN_LINES = 0  # a line for each batch
    _, place, calls, *command = sys.argv
    halt_in(place, [int(call) for call in calls.split(",")])
    execute_from_command_line(["manage.py", *command])
