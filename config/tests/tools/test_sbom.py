"""The bill of materials names every pinned package and every vendored file."""

import copy

import pytest

from config.tools import sbom

pytestmark = pytest.mark.nightly  # `make check` runs the tool itself


@pytest.fixture(scope="module")
def whole():
    return sbom.composed()


@pytest.fixture
def document(whole):
    return copy.deepcopy(whole)


def named(document, name):
    return next(one for one in document["components"] if one["name"] == name)


def test_it_is_valid_and_whole(document):
    assert sbom.invalid(document) == []
    assert sbom.missing(document) == []
    assert document["metadata"]["component"]["name"] == "institution-calendar"


def test_packages_have_version_and_hashes(document):
    django = named(document, "django")

    assert django["purl"] == f"pkg:pypi/django@{django['version']}"
    assert django["externalReferences"][0]["hashes"]


def test_a_vendored_file_has_version_licence_and_digest(document):
    squire = named(document, "squire-rte")

    assert squire["purl"] == "pkg:npm/squire-rte@2.4.8"
    assert squire["licenses"] == [{"license": {"id": "MIT"}}]
    assert squire["hashes"][0]["content"] == sbom.sha256(sbom.ROOT / squire["bom-ref"])


@pytest.mark.parametrize("name", ["django", "squire-rte"])
def test_what_is_missing_is_named(document, name):
    document["components"].remove(named(document, name))

    (sentence,) = sbom.missing(document)

    assert sentence.endswith("is missing.")


def test_another_version_does_not_count(document):
    named(document, "django")["purl"] = "pkg:pypi/django@1.0"

    (sentence,) = sbom.missing(document)

    assert sentence.startswith("pkg:pypi/django@5.")


def test_a_file_that_was_changed_does_not_count(document):
    named(document, "squire-rte")["hashes"][0]["content"] = "0" * 64

    (sentence,) = sbom.missing(document)

    assert "squire" in sentence


def test_what_the_schema_does_not_know_is_refused(document):
    named(document, "django")["type"] = "cake"

    (sentence,) = sbom.invalid(document)

    assert sentence.startswith("It does not satisfy CycloneDX")


@pytest.mark.parametrize("name", ["unknown-1.0.js", "squire.js"])
def test_a_vendored_file_of_unknown_origin_is_refused(name):
    with pytest.raises(ValueError, match="ORIGINS"):
        sbom.component_of(sbom.ROOT / name)


def test_the_command_writes_it(document, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sbom, "ROOT", tmp_path)
    monkeypatch.setattr(sbom, "TARGET", tmp_path / ".make/sbom.json")
    monkeypatch.setattr(sbom, "composed", lambda: document)
    monkeypatch.setattr(sbom, "invalid", lambda _: [])
    monkeypatch.setattr(sbom, "pinned_packages", set)

    assert sbom.main() == 0
    assert (tmp_path / ".make/sbom.json").read_text(encoding="utf-8").startswith("{")

    monkeypatch.setattr(sbom, "pinned_packages", lambda: {"pkg:pypi/other@1"})
    assert sbom.main() == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        ".make/sbom.json: pkg:pypi/other@1 is missing."
    )
