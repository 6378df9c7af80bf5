"""Settings as a process of its own reads them from the environment that it is given."""

import os
import subprocess
import sys

from config.tests import prepared

WHOLE = {
    "PUBLIC_URL": "https://platform.example",
    "SECRET_KEY": "x" * 64,
    "ENCRYPTION_KEYS": "b25seS1mb3ItbWFrZS1jaGVjay0zMi1ieXRlcy1vayE=",
}
"""What a server in production cannot start without."""


def python(code, *, check=True, **environment):
    """Run code with these variables and none of the test run's; return how it ended."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=prepared.ROOT,
        env={"PATH": os.environ["PATH"], "READ_DOT_ENV": "0", **environment},
        capture_output=True,
        text=True,
        check=check,
    )
