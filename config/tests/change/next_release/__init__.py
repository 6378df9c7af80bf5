"""The calendar's migrations, and three more that a next version might have.

In the order of docs/upgrading.md: a column that the version before need not know, its
values, and an index over them.
"""

import calendar_events.migrations

__path__ = [*__path__, *calendar_events.migrations.__path__]
