"""Values in the address of a list that no filter can have."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.admin.options import IncorrectLookupParameters
from django.db import DataError


@contextmanager
def dates_in_the_calendar() -> Iterator[None]:
    """Refuse dates that another time zone puts outside the calendar, as bad lookups.

    It shows when the rows are read, which therefore belongs into the block. Raises
    ``IncorrectLookupParameters``.
    """
    try:
        yield
    except (OverflowError, DataError) as error:
        raise IncorrectLookupParameters from error
