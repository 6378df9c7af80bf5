"""Throwaway keys are made once and agreed upon."""

import stat

from config.demo import keys


def test_missing_keys_are_made_once_and_read_again(tmp_path):
    path = tmp_path / "keys.env"
    first: dict[str, str] = {}
    second: dict[str, str] = {}

    keys.make_missing(first, path)
    keys.make_missing(second, path)

    assert first == second
    assert set(first) == {"SECRET_KEY", "ENCRYPTION_KEYS", "OIDC_SIGNING_KEYS"}


def test_the_file_of_keys_is_private(tmp_path):
    path = tmp_path / "keys.env"

    keys.make_missing({}, path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_that_is_set_is_kept_and_not_written(tmp_path):
    path = tmp_path / "keys.env"
    environ = dict.fromkeys(keys.MAKERS, "mine")

    keys.make_missing(environ, path)

    assert environ == dict.fromkeys(keys.MAKERS, "mine")
    assert not path.exists()


def test_a_key_that_is_in_a_file_is_not_made(tmp_path):
    path = tmp_path / "keys.env"
    environ = dict.fromkeys(keys.MAKERS, "mine")
    del environ["SECRET_KEY"]
    environ["SECRET_KEY_FILE"] = "/run/secrets/secret_key"

    keys.make_missing(environ, path)

    assert "SECRET_KEY" not in environ
    assert not path.exists()


def test_the_loser_of_a_race_takes_the_keys_of_the_winner(tmp_path, monkeypatch):
    path = tmp_path / "keys.env"
    winner: dict[str, str] = {}
    keys.make_missing(winner, path)
    loser: dict[str, str] = {}
    seen = iter([False])
    monkeypatch.setattr(type(path), "exists", lambda _self: next(seen, True))

    keys.make_missing(loser, path)

    assert loser == winner
    assert [found.name for found in tmp_path.iterdir()] == ["keys.env"]


def test_a_file_of_an_older_version_gets_the_keys_that_it_lacks(tmp_path):
    path = tmp_path / "keys.env"
    path.write_text("SECRET_KEY=old\nENCRYPTION_KEYS=old\n")
    first: dict[str, str] = {}
    second: dict[str, str] = {}

    keys.make_missing(first, path)
    keys.make_missing(second, path)

    assert first == second
    assert first["SECRET_KEY"] == "old"
    assert first["OIDC_SIGNING_KEYS"]
