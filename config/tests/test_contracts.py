"""The import contracts break when somebody breaks them: otherwise they hold nothing."""

import tomllib
from copy import deepcopy

import grimp
import pytest
from importlinter import configuration
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.layers import LayersContract

from config.tests.servers import ROOT

configuration.configure()
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
LAYERS = {one["containers"][0]: one for one in LINTER["contracts"] if one.get("exhaustive")}


@pytest.fixture(scope="module")
def imports():
    return grimp.build_graph(*LINTER["root_packages"], cache_dir=None)


def is_kept(app, graph):
    options = {**LAYERS[app], "exhaustive": "true"}  # import-linter reads it as text
    contract = LayersContract(app, session_options=LINTER, contract_options=options)
    return contract.check(graph, verbose=False).kept


@pytest.mark.parametrize("app", LAYERS)
def test_the_code_keeps_its_contract(app, imports):
    assert is_kept(app, deepcopy(imports))


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("platform_errors.signing.nonces", "platform_errors.views"),
        ("platform_errors.errors.base", "platform_errors.authentication"),
        ("platform_errors.http.cors", "platform_errors.errors.catalogue"),
        ("platform_errors.conf", "platform_errors.models"),
        ("platform_errors.permissions", "platform_errors.throttling"),
        ("authserver.models.user", "authserver.accounts.access"),
        ("authserver.keys.store", "authserver.oauth.tokens"),
        ("authserver.views.endpoints.token", "authserver.legacy.client_generation"),
        ("authserver.oauth.codes", "authserver.authorization.pending"),
        ("authserver.authorization.session", "authserver.views.pages.steps"),
        ("authserver.accounts.backends", "authserver.keys.policy"),
        ("config.serving.server", "config.http.middleware"),
        ("config.databases.replica", "config.settings"),
        ("config.demo.cast", "config.http.pages"),
    ],
)
def test_an_import_that_points_up_or_sideways_breaks_it(importer, imported, imports):
    graph = deepcopy(imports)
    graph.add_import(importer=importer, imported=imported)

    assert not is_kept(importer.partition(".")[0], graph)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("authserver.oauth.token_request", "authserver.oauth.tokens"),
        ("authserver.models.session", "authserver.accounts.sessions"),
        ("platform_errors.errors.base", "platform_errors.errors.catalogue"),
        ("calendar_events.filters.base", "calendar_events.filters.filtersets"),
        ("calendar_events.store.sql", "calendar_events.store.lists"),
    ],
)
def test_a_circle_breaks_the_contract_against_them(importer, imported, imports):
    (options,) = (one for one in LINTER["contracts"] if one["type"] == "acyclic_siblings")
    contract = AcyclicSiblingsContract("", session_options=LINTER, contract_options=options)
    graph = deepcopy(imports)
    assert contract.check(graph, verbose=False).kept

    graph.add_import(importer=importer, imported=imported)

    assert not contract.check(graph, verbose=False).kept


@pytest.mark.parametrize("app", LAYERS)
def test_a_room_without_a_floor_breaks_it(app, imports):
    graph = deepcopy(imports)
    graph.add_module(f"{app}.corner")

    assert not is_kept(app, graph)
