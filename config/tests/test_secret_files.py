"""Secrets in files: each has the form, and an error never prints what a file holds."""

import re

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.demo.keys import MAKERS
from config.environment.variables import MOST_BYTES_OF_A_SECRET, secret
from config.tests.fresh import WHOLE
from config.tests.servers import ROOT
from config.tests.test_environment import READS, settings_printed
from platform_errors.tests.documents_of import docs, table

FERNET = "c2Vjb25kLW9ubHktZm9yLXRlc3RzLTMyLWJ5dGVzISE="
RSA = MAKERS["OIDC_SIGNING_KEYS"]()
# Each with a text for its file, and the setting in which it arrives.
SECRETS = {
    "SECRET_KEY": ("k" * 60, "settings.SECRET_KEY", "k" * 60),
    "ENCRYPTION_KEYS": (FERNET, "settings.ENCRYPTION_KEYS[0]", FERNET),
    "OIDC_SIGNING_KEYS": (
        RSA,
        "''.join(settings.OAUTH2_PROVIDER['OIDC_RSA_PRIVATE_KEY'].splitlines()[1:-1])",
        RSA,
    ),
    "DATABASE_URL": (
        "postgres://u:hidden@db/main",
        "settings.DATABASES['default']['PASSWORD']",
        "hidden",
    ),
    "DATABASE_POOL_URL": (
        "postgres://u:hidden@pool/main",
        "settings.DATABASE_POOL['PASSWORD']",
        "hidden",
    ),
    "DATABASE_REPLICA_URL": (
        "postgres://u:hidden@db/copy",
        "settings.DATABASES['replica']['NAME']",
        "copy",
    ),
    "CACHE_URL": (
        "redis://:hidden@cache/1",
        "settings.CACHES['default']['LOCATION']",
        "redis://:hidden@cache/1",
    ),
    "EMAIL_URL": (
        "smtp+tls://u:hidden@mail:587",
        "settings.EMAIL_HOST_PASSWORD",
        "hidden",
    ),
}
# Named like a secret, and none: addresses and names that everybody may know.
PUBLIC = {
    *("PUBLIC_URL", "HMAC_SCHEME_URL", "HMAC_SIGNATURE_URL", "ERROR_DOCUMENTATION_URL"),
    *("RATE_LIMIT_KEY", "SECRET_LINK_HOURS", "KEY_USE_SECONDS", "KEY_REFUSALS"),
    *("KEY_REFUSAL_DAYS", "ACCESS_TOKEN_SECONDS", "REFRESH_TOKEN_SECONDS"),
    *("ID_TOKEN_SECONDS", "WEBHOOKS_PER_KEY"),
    *("PASSWORD_RESET_TIMEOUT", "PASSWORD_CHANGE_REVOKES_TOKENS"),
}
SOUNDS_SECRET = re.compile(r"SECRET|KEY|PASSWORD|TOKEN|CREDENTIAL|_DSN$|_URL$")


def source():
    return (ROOT / "config/settings.py").read_text(encoding="utf-8")


def test_every_variable_that_may_hold_a_secret_is_read_as_one():
    words = set(re.findall(r'"([A-Z][A-Z0-9_]{3,})"', source()))
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    variables = set(re.findall(r"^#?([A-Z][A-Z0-9_]+)=", example, re.MULTILINE))

    read_as_secret = set(
        re.findall(r'(?<!_)secret\(\s*"([A-Z_]+)"', source())
        + re.findall(r'required\("([A-Z_]+)", secret\)', source())
    )

    assert READS.findall(source())
    assert read_as_secret == set(SECRETS)
    assert {name for name in variables & words if SOUNDS_SECRET.search(name)} == (
        read_as_secret | PUBLIC
    )


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_a_secret_may_come_from_a_file(tmp_path, name):
    text, setting, expected = SECRETS[name]
    path = tmp_path / "secret"
    path.write_text(f"\n{text}\n", encoding="utf-8")
    rest = {key: value for key, value in WHOLE.items() if key != name}

    finished = settings_printed(setting, **rest, **{f"{name}_FILE": str(path)})

    assert finished.stderr == ""
    assert finished.stdout.strip() == str([expected])


def test_the_table_of_secrets_names_each_of_them():
    rows = table(docs("operations.md"), "secret")

    assert sorted(name.strip("`") for name, *_ in rows) == sorted(SECRETS)


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "secret"
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", str(path))
    return path


def refusal():
    with pytest.raises(ImproperlyConfigured) as caught:
        secret("SECRET_KEY")
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_a_variable_and_its_file_together_are_refused_with_both_names(file, monkeypatch):
    file.write_text("from the file", encoding="utf-8")
    monkeypatch.setenv("SECRET_KEY", "from the environment")

    assert refusal() == "SECRET_KEY and SECRET_KEY_FILE are both set. Set one of them."


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty or binary."),
        (b" \n\t ", "is empty or binary."),
        (b"hidden\0", "is empty or binary."),
        (b"hidden \xff\xfe", "is not UTF-8 text."),
        (
            b"hidden" * MOST_BYTES_OF_A_SECRET,
            f"has over {MOST_BYTES_OF_A_SECRET} bytes: not a secret.",
        ),
    ],
)
def test_what_is_no_secret_is_refused_and_not_printed(file, content, why):
    file.write_bytes(content)

    assert refusal() == f"SECRET_KEY_FILE: {file} {why}"


def test_a_file_that_is_not_there_is_refused(file):
    assert refusal() == (
        f"SECRET_KEY_FILE: {file} cannot be read: No such file or directory."
    )


def test_a_directory_is_refused(file):
    file.mkdir()

    assert refusal() == f"SECRET_KEY_FILE: {file} cannot be read: Is a directory."


def test_a_file_of_the_largest_size_is_read(file):
    file.write_bytes(b"x" * MOST_BYTES_OF_A_SECRET)

    assert secret("SECRET_KEY") == "x" * MOST_BYTES_OF_A_SECRET


def test_an_empty_variable_is_not_set(file, monkeypatch):
    file.write_text("from the file", encoding="utf-8")
    monkeypatch.setenv("SECRET_KEY", "")
    assert secret("SECRET_KEY") == "from the file"

    monkeypatch.setenv("SECRET_KEY_FILE", "")
    assert secret("SECRET_KEY", "the default") == "the default"


def test_the_start_stops_with_the_sentence(tmp_path):
    rest = {key: value for key, value in WHOLE.items() if key != "SECRET_KEY"}
    path = tmp_path / "none"

    finished = settings_printed("1", **rest, SECRET_KEY_FILE=str(path))

    assert finished.returncode == 1
    assert finished.stderr.splitlines()[-1] == (
        "django.core.exceptions.ImproperlyConfigured: "
        f"SECRET_KEY_FILE: {path} cannot be read: No such file or directory."
    )
