"""Tables that the code knows, put into the documentation when it is built (a MkDocs hook).

A page asks for one by a line ``<!-- table: errors -->``.
"""

import inspect
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
REASONS = ROOT / "config/tools/reasons.toml"
NAMED_BLOCK = re.compile(r"^(```\w+) [\w-]+$", re.MULTILINE)
"""A code block that a test finds by its name, which Markdown does not know."""
MARK = re.compile(r"^<!-- table: (\w+)(?: (\w+))? -->$", re.MULTILINE)


def on_startup(**_kwargs: Any) -> None:
    """Set Django up, as a demonstration that serves nobody."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["DEMO"] = "1"
    import django  # noqa: PLC0415 -- after the path is known

    django.setup()


def on_page_markdown(markdown: str, **_kwargs: Any) -> str:
    """Return the page with its tables. Raises ``KeyError`` for one that there is not."""
    markdown = NAMED_BLOCK.sub(r"\1", markdown)
    return MARK.sub(lambda match: TABLES[match[1]](match[2] or ""), markdown)


def errors(_part: str) -> str:
    """Return every reason: status, code of the events interface, text, and what to do."""
    from django.urls import get_resolver  # noqa: PLC0415 -- needs Django

    from platform_errors.errors import base, catalogue  # noqa: PLC0415

    get_resolver().url_patterns  # noqa: B018 -- imports every class of an error
    by_reason = {cls.default_code: cls for cls in subclasses(base.ApiError)}
    rows = []
    for reason, why in tomllib.loads(REASONS.read_text(encoding="utf-8")).items():
        default = catalogue.ScopesInvalid if "service" in reason else base.ApiError
        cls = by_reason.get(reason, default)
        anchor = f'<a id="{reason}"></a>`{reason}`'
        row = (anchor, str(cls.status_code), *wording(cls), " ".join(why))
        rows.append(row)
    return table(("reason", "status", "events code", "text", "why, and what to do"), rows)


def subclasses(cls: Any) -> Iterable[Any]:
    """Yield every class below one, however deep."""
    for one in cls.__subclasses__():
        yield one
        yield from subclasses(one)


def wording(cls: Any) -> tuple[str, str]:
    """Return the code of the events interface and the text of a class of errors."""
    from authserver.errors import OAuthError  # noqa: PLC0415 -- needs Django
    from calendar_events.api.dialect import CODES  # noqa: PLC0415

    if issubclass(cls, OAuthError):
        return "", ""  # its text says what is wrong with this request
    if "kind" in inspect.signature(cls).parameters:
        error = cls("{kind}")
        return f"`{error.events_code}`", f"`{error.text}`"
    code = getattr(cls, "events_code", "") or next(
        CODES[base] for base in cls.__mro__ if base in CODES
    )
    return f"`{code}`", f"`{cls.default_detail}`"


def metrics(_part: str) -> str:
    """Return the metrics of the server: name, kind, labels, description."""
    from config.monitoring import metrics as known  # noqa: PLC0415 -- needs Django

    rows = []
    metric: Any
    for metric in dict.fromkeys(known.REGISTRY._names_to_collectors.values()):  # noqa: SLF001
        (family,) = metric.describe()
        suffix = "_total" if family.type == "counter" else ""
        labels = ", ".join(f"`{name}`" for name in metric._labelnames)  # noqa: SLF001
        row = (f"`{family.name}{suffix}`", family.type, labels or "none")
        rows.append((*row, family.documentation))
    return table(("metric", "kind", "labels", "what"), sorted(rows))


def settings(_part: str) -> str:
    """Return the variables of the environment, as ``.env.example`` has them."""
    parts = []
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    for section in re.split(r"^# --- (?=\w)", text, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        rows = []
        for why, lines in re.findall(
            r"((?:^# .*\n)*)((?:^#[A-Z].*\n)+)", body, re.MULTILINE
        ):
            named = [line[1:].partition("=")[::2] for line in lines.splitlines()]
            names = "<br>".join(f"`{name}`" for name, _ in named)
            values = "<br>".join(f"`{value}`" if value else "" for _, value in named)
            rows.append(
                (
                    names,
                    values,
                    " ".join(why.replace("# ", " ").split()).replace("|", "\\|"),
                )
            )
        heads = ("variable", "default", "meaning")
        parts.append(f"### {title.rstrip(' -')}\n\n{table(heads, rows)}")
    return "\n\n".join(parts)


def decisions(_part: str) -> str:
    """Return the decisions on record, by the headings of their pages."""
    rows = []
    for path in sorted((ROOT / "docs/decisions").glob("*.md")):
        heading, _, _ = path.read_text(encoding="utf-8").partition("\n")
        number, _, title = heading.removeprefix("# ").partition(". ")
        rows.append((f"[{number}](decisions/{path.name})", title))
    return table(("", "decision"), rows)


def asvs(chapter: str) -> str:
    """Return the requirements of a chapter of ASVS: number, state, how it is met."""
    return rows_of("asvs", chapter, ("requirement", "state", "how"))


def threats(part: str) -> str:
    """Return the threats of a part of the platform, with what counters them."""
    return rows_of("threats", part, ("threat", "counter-measure", "test"))


def rows_of(name: str, part: str, heads: Iterable[str]) -> str:
    """Return a part of a file of ``config/tests`` that tests hold to the code."""
    text = (ROOT / f"config/tests/{name}.toml").read_text(encoding="utf-8")
    return table(heads, tomllib.loads(text)[part])


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


TABLES: dict[str, Callable[[str], str]] = {
    "errors": errors,
    "metrics": metrics,
    "settings": settings,
    "decisions": decisions,
    "asvs": asvs,
    "threats": threats,
}
