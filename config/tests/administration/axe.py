"""axe-core, which judges a page in the browser by WCAG 2.2 AA and best practice."""

from __future__ import annotations

import shutil
import subprocess

import pytest

PACKAGE = "axe-core@4.14.1"
RULES = [*("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"), "best-practice"]
NARROW = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@pytest.fixture(scope="session")
def axe(request):
    """The script; installed once, and kept between runs by pytest's cache."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    directory = request.config.cache.mkdir("axe-core")
    script = directory / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        installed = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--no-save", PACKAGE],
            cwd=directory,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if installed.returncode:
            pytest.skip(f"npm cannot install {PACKAGE}: {installed.stderr[-200:]}")
    return script.read_text()


def violations(page, axe):
    """Return what is wrong with the page that is open, each with the element it is in."""
    page.evaluate(axe)
    found = page.evaluate(
        "rules => axe.run(document, {resultTypes: ['violations'], runOnly: rules})", RULES
    )
    wrong = [
        f"{each['id']}: {node['html'][:160]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
    return wrong if page.evaluate(NARROW) else [*wrong, "wider than the screen"]
