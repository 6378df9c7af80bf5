"""What the environment decides, tried in processes of their own."""

import ast
import base64
import functools
import json
import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from config.environment import variables
from config.tests import fresh
from config.tests.fresh import WHOLE
from config.tools import documentation_tables
from platform_errors.tests.documents_of import docs, table

ROOT = Path(__file__).resolve().parents[2]
READS = re.compile(
    r"""(?:env\.[a-z_]+|required|secret|mount)\(\s*["']([A-Z][A-Z0-9_]+)["']"""
)


def settings_printed(expression, **environment):
    """Evaluate an expression over the settings in a fresh process."""
    code = f"from config import settings; print([{expression}])"
    return fresh.python(code, check=False, **environment)


def test_the_example_file_names_once_every_variable_that_settings_read():
    settings = (ROOT / "config/settings.py").read_text(encoding="utf-8")
    read = set(READS.findall(settings))
    for call in ast.walk(ast.parse(settings)):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "given":
            words = (word for word in ast.walk(call) if isinstance(word, ast.Constant))
            read |= {word.value for word in words}

    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    named = re.findall(r"^#?([A-Z][A-Z0-9_]+)=", example, re.MULTILINE)

    assert sorted(named) == sorted(read)


# What the example file gives as examples, and what depends on the machine.
NO_DEFAULTS = {"DATABASE_URL", "WORKERS", "SCANS_AT_ONCE"}
EVERYTHING = """
import json
import django
django.setup()
from pathlib import Path
from config import settings
from authserver.conf import conf as authserver
from calendar_events.conf import conf as calendar
from platform_errors.conf import conf as errors
found = {name: value for name, value in vars(settings).items() if name[0].isupper()}
found = {
    # A function would be shown with the place that it has in the memory of this process.
    name: getattr(value, "__qualname__", "")
    or repr(value.resolve() if isinstance(value, Path) else value)
    for name, value in found.items()
    if name.isupper()
}
for conf in (authserver, calendar, errors):
    names = [name for name, kind in vars(type(conf)).items() if hasattr(kind, "convert")]
    found[conf.dictionary] = {name: repr(getattr(conf, name)) for name in names}
print(json.dumps(found))
"""


@functools.cache
def settings_with(**environment):
    """Return every setting, with those of the apps as the apps read them."""
    given = {"DJANGO_SETTINGS_MODULE": "config.settings", **WHOLE, **environment}
    return json.loads(fresh.python(EVERYTHING, **given).stdout)


def test_what_the_example_file_shows_as_defaults_are_the_defaults():
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^#([A-Z][A-Z0-9_]+)=(.+)$", example, re.MULTILINE))

    given = {name: value for name, value in shown.items() if name not in NO_DEFAULTS}

    assert len(given) > 50
    assert settings_with(**given) == settings_with()


def test_the_settings_in_the_documentation_are_those_of_the_example_file():
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    named = re.findall(r"^#([A-Z][A-Z0-9_]+)=(.*)$", example, re.MULTILINE)

    built = documentation_tables.settings("")

    rows = [line.split(" | ") for line in built.splitlines() if line.startswith("| `")]
    shown = [
        (name.strip("|` "), value.strip("` "))
        for names, values, *_ in rows
        for name, value in zip(names.split("<br>"), values.split("<br>"), strict=True)
    ]
    assert shown == named
    assert all(row[2].strip(" |") for row in rows)


def test_the_defaults_in_the_documentation_are_the_defaults():
    page, heading = "monitoring.md", "setting"
    rows = [
        row
        for part in docs(page).split(f"\n| {heading} |")[1:]
        for row in table(f"| {heading} |{part}", heading)
    ]
    shown = {
        name.strip("`"): value.strip("`")
        for names, values, *_ in rows
        for name, value in zip(names.split(", "), values.split(", "), strict=True)
        if value and value != "required"
    }

    assert shown
    assert settings_with(**shown) == settings_with()


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_a_missing_secret_or_address_stops_the_start_with_a_sentence(name):
    rest = {key: value for key, value in WHOLE.items() if key != name}

    finished = settings_printed("settings.DEBUG", **rest)

    assert finished.returncode == 1
    assert finished.stderr.splitlines()[-1].startswith(
        f"django.core.exceptions.ImproperlyConfigured: {name} is not set."
    )


def test_production_values_are_the_strict_ones_by_default():
    finished = settings_printed(
        "settings.DEBUG, settings.DEMO, settings.SESSION_COOKIE_NAME, "
        "settings.SESSION_COOKIE_SECURE, settings.SECURE_HSTS_SECONDS > 0, settings.ISSUER",
        **WHOLE,
    )

    assert finished.stdout.strip() == (
        "[False, False, '__Host-session', True, True, 'https://platform.example']"
    )


@pytest.mark.parametrize(
    ("values", "printed"),
    [
        ({}, "[False, False]"),
        ({"HSTS_INCLUDE_SUBDOMAINS": "1"}, "[True, False]"),
        ({"HSTS_INCLUDE_SUBDOMAINS": "1", "HSTS_PRELOAD": "1"}, "[True, True]"),
    ],
)
def test_other_names_are_bound_to_https_only_when_an_operator_says_so(values, printed):
    finished = settings_printed(
        "settings.SECURE_HSTS_INCLUDE_SUBDOMAINS, settings.SECURE_HSTS_PRELOAD",
        **WHOLE | values,
    )

    assert finished.stdout.strip() == printed


def test_cookies_follow_a_plain_http_public_address():
    finished = settings_printed(
        "settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_SECURE, "
        "settings.SECURE_HSTS_SECONDS",
        **WHOLE | {"PUBLIC_URL": "http://127.0.0.1:8000/"},
    )

    assert finished.stdout.strip() == "['session', False, 0]"


def test_the_compatible_addresses_come_from_the_environment():
    finished = settings_printed(
        "settings.CALENDAR_EVENTS['ROOT_PATH']",
        **WHOLE,
        BASE_MOUNT="/wp-json",
        VENDOR_NS="tribe",
    )

    assert finished.stdout.strip() == "['/wp-json/tribe/events/v1']"


def test_a_public_address_without_a_scheme_is_refused():
    finished = settings_printed("1", **WHOLE | {"PUBLIC_URL": "platform.example"})

    assert "PUBLIC_URL must be an absolute http or https address" in finished.stderr


def test_a_default_is_the_app_s_and_only_what_is_set_is_passed_on():
    finished = settings_printed(
        "sorted(settings.AUTHSERVER), settings.AUTHSERVER.get('CODE_SECONDS')",
        **WHOLE,
        CODE_SECONDS="30",
    )

    assert finished.stdout.strip() == (
        "[['CODE_SECONDS', 'ENCRYPTION_KEYS', 'ISSUER', 'ROLES', 'SENDS_MAIL'], 30]"
    )


@pytest.mark.parametrize(
    "keys",
    [
        "no key",
        "bm8ga2V5",
        "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g",
    ],
)
def test_what_is_no_rsa_key_stops_the_start_without_being_shown(keys):
    finished = settings_printed("settings.DEBUG", **WHOLE, OIDC_SIGNING_KEYS=keys)

    assert finished.returncode == 1
    last = finished.stderr.splitlines()[-1]
    assert "OIDC_SIGNING_KEYS must be RSA keys of 2048 bits or more" in last
    assert keys not in last


@pytest.mark.parametrize("form", ["PKCS8", "TraditionalOpenSSL"])
def test_a_signing_key_is_taken_as_each_release_of_openssl_writes_it(form):
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    der = key.private_bytes(
        serialization.Encoding.DER,
        getattr(serialization.PrivateFormat, form),
        serialization.NoEncryption(),
    )

    (pem,) = variables.signing_keys(base64.b64encode(der).decode())

    read = serialization.load_pem_private_key(pem.encode(), password=None)
    assert read.private_numbers() == key.private_numbers()
