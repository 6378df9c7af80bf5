"""Pages of lists: a QuerySet's rows as stored documents, and its exact total, at once.

The QuerySet is compiled by the ORM to identifiers and sorting keys. The page is cut out of
those, and only its rows are read. Where triggers keep the total of exactly this list
(``store.counters``), the page is walked to; else all of the list is found once, counted,
and the page cut out of it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.core.exceptions import EmptyResultSet
from django.db.models import F
from django.db.models.expressions import OrderBy

from calendar_events.models import Event
from calendar_events.models.querysets.base import ListQuerySet
from calendar_events.models.visibility import Rule
from calendar_events.store import counters, scans, sql
from calendar_events.store.sql import conditions_of

DEEP = 500
"""From this offset on a page is no longer read so often that its plan is kept."""
_PAGE = """{common}SELECT t.total, {columns} FROM ({total}) t
LEFT JOIN (SELECT * FROM {source} f ORDER BY {order} LIMIT {limit} OFFSET {offset}) p
  ON 1 = 1
LEFT JOIN {table} r ON r.id = p.row ORDER BY {order}"""


class Rows(NamedTuple):
    """The rows of a page, and how many there are in all."""

    rows: list[Any]
    total: int


class _Compiled(NamedTuple):
    """The statement that finds the identifiers of a list, and how they are sorted."""

    text: str
    params: Sequence[Any]
    order: str


def fetch(  # noqa: PLR0913 -- what is wanted of each row
    queryset: ListQuerySet,
    columns: Sequence[str],
    *,
    limit: int,
    offset: int,
    annotations: Sequence[str] = (),
    fulfils: Rule = (),
) -> Rows:
    """Return columns of the rows of a page, then annotations, and the total.

    With ``fulfils`` each row ends in whether it fulfils that rule. As of one moment. Raises
    what ``scans.rows`` raises.
    """
    try:
        ids = _compiled(queryset, annotations)
    except EmptyResultSet:
        return Rows([], 0)
    selected = [f"r.{name}" for name in columns] + [f"p.{name}" for name in annotations]
    outcome = conditions_of(fulfils, "r") if fulfils else sql.Conditions()
    if fulfils:
        selected.append(str(outcome))
    parts = {
        "columns": ", ".join(selected),
        "table": queryset.model._meta.db_table,
        "order": ids.order,
        "limit": limit,
        "offset": offset,
    }
    kept = counters.total_of(queryset)
    if kept is not None:
        statement = _PAGE.format(
            **parts,
            common="",
            source=f"({ids.text})",
            total=f"SELECT {kept.text} AS total",
        )
        params = [*outcome.params, *kept.params, *ids.params]
        is_scan = offset >= DEEP
    else:
        # Where totals are kept, what is counted may be very much of all events.
        is_scan = queryset.model is Event and (
            sql.is_postgres() or getattr(queryset, "scope", None) is None
        )
        turn, turn_params = scans.turn() if is_scan else ("", [])
        everything = f"SELECT * FROM ({ids.text}) i{turn}"
        common = f"WITH everything AS MATERIALIZED ({everything})\n"
        total = "SELECT COUNT(*) AS total FROM everything"
        statement = _PAGE.format(**parts, common=common, source="everything", total=total)
        params = [*ids.params, *turn_params, *outcome.params]
    if is_scan:
        rows = scans.rows(statement, params)
    else:
        rows = sql.rows(statement, params, prepare=kept is not None and kept.is_frequent)
    return Rows([row[1:] for row in rows if row[1] is not None], int(rows[0][0]))


def named(
    queryset: ListQuerySet,
    columns: Sequence[str],
    ids: Sequence[int],
    *,
    annotations: Sequence[str] = (),
    fulfils: Rule = (),
) -> list[Any]:
    """Return columns of those of the rows with these identifiers that the list has.

    They come in no order, each with what ``fetch`` adds.
    """
    outcome = conditions_of(fulfils, "r") if fulfils else sql.Conditions()
    selected = [f"r.{name}" for name in columns] + [f"p.{name}" for name in annotations]
    if fulfils:
        selected.append(str(outcome))
    table = queryset.model._meta.db_table
    return _named(
        queryset,
        selected,
        ids,
        annotations=annotations,
        source=f"JOIN {table} r ON r.id = p.row",
        params=outcome.params,
    )


def having(queryset: ListQuerySet, ids: Sequence[int]) -> set[int]:
    """Return those of these identifiers that the list has."""
    return {pk for (pk,) in _named(queryset, ["p.row"], ids)}


def _named(  # noqa: PLR0913 -- the parts of a statement
    queryset: ListQuerySet,
    selected: Sequence[str],
    ids: Sequence[int],
    *,
    annotations: Sequence[str] = (),
    source: str = "",
    params: Sequence[Any] = (),
) -> list[Any]:
    """Return what is selected of those of the rows with these identifiers.

    They are bound as one array, so that the plan is kept.
    """
    try:
        found = _compiled(queryset, annotations, is_sorted=False)
    except EmptyResultSet:
        return []
    wanted = sql.Conditions()
    wanted.any_of("p.row", ids)
    statement = (
        f"SELECT {', '.join(selected)} FROM ({found.text}) p {source} WHERE {wanted}"
    )
    return sql.rows(statement, [*params, *found.params, *wanted.params])


def _compiled(
    queryset: ListQuerySet, annotations: Sequence[str], *, is_sorted: bool = True
) -> _Compiled:
    """Compile a list to identifiers (``row``) and keys. Raises ``EmptyResultSet``."""
    query: Any = queryset.query
    if query.is_sliced or query.combinator or query.distinct:
        # Anything can be done to the rows of it, once they are those of a condition.
        again = queryset.model.objects.filter(pk__in=queryset.values("pk"))
        queryset = again.order_by(*query.order_by)
    sorted_by = _keys(query.order_by) if is_sorted else []
    keys = {f"k{place}": key for place, key in enumerate(sorted_by)}
    order = ", ".join(f"{name} {_direction(key)}" for name, key in keys.items())
    columns = {name: key.expression for name, key in keys.items()}
    keyed = queryset.order_by().annotate(row=F("pk"), **columns)
    values = keyed.values_list("row", *columns, *annotations)
    text, params = values.query.get_compiler(sql.connection().alias).as_sql()
    return _Compiled(text, params, order)


def _keys(order: Sequence[Any]) -> list[OrderBy]:
    keys = [_key(one) for one in order]
    ends = keys[-1] if keys else OrderBy(F("pk"))
    if not (keys and ends.expression in (F("pk"), F("id"))):
        keys.append(OrderBy(F("pk"), descending=ends.descending))
    return keys


def _key(one: Any) -> OrderBy:
    if isinstance(one, OrderBy):
        return one
    if isinstance(one, str):
        return OrderBy(F(one.lstrip("+-")), descending=one.startswith("-"))
    return OrderBy(one)


def _direction(key: OrderBy) -> str:
    nulls = " NULLS FIRST" if key.nulls_first else " NULLS LAST" if key.nulls_last else ""
    return f"{'DESC' if key.descending else 'ASC'}{nulls}"
