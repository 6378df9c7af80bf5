"""One registry of the types of record (``models.kinds``), from which all else follows."""

import ast
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils.module_loading import import_string

import calendar_events
from calendar_events import documents
from calendar_events.api.schema import document
from calendar_events.models import kinds
from calendar_events.models.kinds import KINDS, kind_for, kind_of
from calendar_events.tests import factories

APP = Path(calendar_events.__file__).parent
REGISTRY = Path(kinds.__file__)
MODELS = {kind.model.__name__ for kind in KINDS}
SINGULARS = {kind.singular for kind in KINDS}
PLURALS = {kind.plural for kind in KINDS}


def modules():
    for path in sorted(APP.rglob("*.py")):
        parts = path.relative_to(APP).parts
        if not {"tests", "migrations"} & {*parts} and path != REGISTRY:
            yield path


def is_table(node):
    """Return whether a literal names all types, which members of a body never do."""
    names = {*names_in(node)}
    return any(words <= names for words in (MODELS, SINGULARS, PLURALS))


def names_in(node):
    """Return the names and texts that are keys or members of a literal."""
    members = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    for member in members:
        match member:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
            case ast.Constant(value=str(name)):
                yield name


def test_no_table_of_the_types_stands_outside_the_registry():
    tables = [
        f"{path.relative_to(APP)}:{node.lineno}"
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Dict | ast.Tuple | ast.Set | ast.List)
        and is_table(node)
        and path.name != "__init__.py"  # what a package exports is no table
    ]

    assert tables == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.plural)
def test_an_entry_has_routes_a_document_and_a_description(kind):
    assert reverse(f"calendar_events:{kind.plural}").endswith(f"/{kind.plural}")
    viewset = import_string(kind.viewset)
    assert (viewset.kind, viewset.resource) == (kind.singular, kind.plural)
    assert viewset.queryset.model is kind.model
    assert getattr(viewset, "taxonomy", None) == kind.taxonomy
    assert import_string(kind.document).Meta.model is kind.model
    assert document.tags()[kind.plural] == kind.summary


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.plural)
def test_a_record_is_rendered_by_the_document_of_its_kind(kind):
    record = getattr(factories, f"{kind.singular.capitalize()}Factory")()

    assert kind_of(record) is kind
    assert kind_for(kind.singular) is kind
    columns = documents.columns(record)
    assert {*columns} <= {*kind.model.rendered_fields}
    assert {name: getattr(record, name) for name in columns} == columns
