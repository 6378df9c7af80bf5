"""The bill of materials names every pinned package and every vendored file."""

import copy
import re

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
    requirements = (sbom.ROOT / "requirements.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"^([\w.-]+)(?:\[.*?\])?==([^\s;]+)", requirements, re.MULTILINE)
    packages = {(one["name"].lower(), one["version"]) for one in document["components"]}
    digests = {
        one["hashes"][0]["content"] for one in document["components"] if "hashes" in one
    }

    assert sbom.invalid(document) == []
    assert {(name.lower(), version) for name, version in pinned} <= packages
    assert {sbom.sha256(path) for path in sbom.vendored_files()} == digests
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

    assert sbom.main() == 0
    assert (tmp_path / ".make/sbom.json").read_text(encoding="utf-8").startswith("{")

    monkeypatch.setattr(sbom, "invalid", lambda _: ["It is no CycloneDX."])
    assert sbom.main() == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        ".make/sbom.json: It is no CycloneDX."
    )
