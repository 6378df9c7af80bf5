"""What never reaches a log: codes, verifiers, tokens, signatures, passwords, cookies."""

import re

_MASK = "[redacted]"
_NAMES = (
    "access_token|refresh_token|client_secret|code_verifier|code|[a-z_]*password[0-9]?|"
    "passwd|secret|signature|token"
)
# To the quote that closes it, past quotes that are escaped; the opening one is the group
# before, and is itself escaped where a text quotes another.
_QUOTED = r"""(\\?["'])(?:(?!\2)(?:\\.|.))*"""
_PATTERNS = (
    # A whole Authorization or Cookie header: a header line, a Python or a JSON member.
    (
        re.compile(
            r"""((?:Authorization|Cookie)\\?["']?[ \t]*[:=][ \t]*)[^\r\n]*""", re.IGNORECASE
        ),
        rf"\1{_MASK}",
    ),
    (
        re.compile(r"\b(Bearer|Basic)[ \t]+[A-Za-z0-9._~+/=-]+", re.IGNORECASE),
        rf"\1 {_MASK}",
    ),
    # The platform's own tokens and codes carry their kind in front.
    (re.compile(r"\b(tk|rt|auth)_[A-Za-z0-9]{16,}"), rf"\1_{_MASK}"),
    (re.compile(r"\bwhsec_[A-Za-z0-9+/=]{16,}"), f"whsec_{_MASK}"),
    # name=value of a query or form, name="value" of a header.
    (
        re.compile(
            rf"""(?<![A-Za-z0-9_])({_NAMES})=(?:{_QUOTED}|[^&\s"'\\,;]+)""",
            re.IGNORECASE | re.DOTALL,
        ),
        rf"\1=\2{_MASK}",
    ),
    # "name": "value" of JSON or of a Python dictionary, or a list as in a form's fields;
    # numbers (an HTTP status) stay.
    (
        re.compile(
            rf"""(\\?["'](?:{_NAMES})\\?["'][ \t]*:[ \t]*)(?:\[[^]]*|{_QUOTED})""",
            re.IGNORECASE | re.DOTALL,
        ),
        rf"\1\2{_MASK}",
    ),
    # The answer to a bad signature quotes it.
    (re.compile(r"(invalid signature )\([^)]*\)"), rf"\1({_MASK})"),
)


def redact(text: str) -> str:
    """Return ``text`` with everything masked that could be used to act for somebody."""
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text
