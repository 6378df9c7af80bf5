"""`make version` and `make release`, in a repository of the test's own."""

import hashlib
import subprocess
import tarfile

import pytest

from config.tests.servers import ROOT
from config.tools import release


def git(root, *arguments):
    author = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    subprocess.run(
        ["git", "-C", root, *author, *arguments], check=True, capture_output=True
    )


@pytest.fixture
def checkout(tmp_path):
    """Return a repository with the files that carry the version, at 1.0.0."""
    for name in (*release.PLACES, "CHANGELOG.md"):
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        target.write_text((ROOT / name).read_text().replace(release.version(ROOT), "1.0.0"))
    changes = "# Changelog\n\n## Unreleased\n\n- A change.\n\n## 1.0.0 - 2026-01-01\n"
    (tmp_path / "CHANGELOG.md").write_text(changes)
    (tmp_path / ".gitignore").write_text(".make/\n")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def commit(root):
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "Change something")


def test_a_version_is_set_wherever_it_stands(checkout):
    release.set_version(checkout, "1.1.0")

    assert release.version(checkout) == "1.1.0"
    for name in release.PLACES:
        text = (checkout / name).read_text()
        assert "1.1.0" in text, name
        assert "1.0.0" not in text, name


def test_what_was_unreleased_gets_the_number_and_the_day(checkout, time_machine):
    time_machine.move_to("2026-12-24 12:00:00Z")

    release.set_version(checkout, "1.1.0")

    changes = (checkout / "CHANGELOG.md").read_text()
    assert "## Unreleased\n\n## 1.1.0 - 2026-12-24\n\n- A change.\n" in changes


@pytest.mark.parametrize("number", ["1.0.0", "v1.1.0", "1.1", ""])
def test_what_is_no_new_version_is_refused_and_nothing_is_written(checkout, number):
    with pytest.raises(SystemExit):
        release.set_version(checkout, number)

    assert release.git(checkout, "status", "--porcelain") == ""


def test_changes_without_a_version_are_no_release(checkout):
    assert release.refusals(checkout) == [
        "Changes are Unreleased: run make version VERSION=… and commit."
    ]


def test_a_commit_with_a_version_of_its_own_is_a_release(checkout):
    release.set_version(checkout, "1.1.0")
    assert release.refusals(checkout) == ["There are changes that are not committed."]

    commit(checkout)

    assert release.refusals(checkout) == []


def test_a_tag_on_this_commit_is_right_and_on_another_is_refused(checkout):
    release.set_version(checkout, "1.1.0")
    commit(checkout)
    git(checkout, "tag", "v1.1.0")
    assert release.refusals(checkout) == []

    (checkout / "more").touch()
    commit(checkout)

    (reason,) = release.refusals(checkout)
    assert "v1.1.0 is on another commit" in reason


def test_a_release_is_the_source_the_wheels_the_bill_of_materials_and_digests(checkout):
    wheels = checkout / ".make/wheels"
    wheels.mkdir(parents=True)
    (wheels / "app-1.0.0-py3-none-any.whl").write_bytes(b"wheel")
    (checkout / ".make/sbom.json").write_text("{}")

    target = release.collect(checkout)

    digests = dict(
        reversed(line.split("  "))
        for line in (target / "SHA256SUMS").read_text().splitlines()
    )
    assert set(digests) == {
        "calendar-1.0.0.tar.gz",
        "app-1.0.0-py3-none-any.whl",
        "sbom.json",
    }
    for name, digest in digests.items():
        assert hashlib.sha256((target / name).read_bytes()).hexdigest() == digest
    with tarfile.open(target / "calendar-1.0.0.tar.gz") as archive:
        assert "calendar-1.0.0/deploy/Containerfile" in archive.getnames()
