"""axe-core, which judges a page in the browser by WCAG 2.2 AA and best practice."""

import pytest

from authserver.tests import npm

VERSION = "4.14.1"
RULES = [*("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"), "best-practice"]
NARROW = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@pytest.fixture(scope="session")
def axe(request):
    """The script."""
    directory = npm.installed(request.config, "axe-core", VERSION)
    return (directory / "node_modules" / "axe-core" / "axe.min.js").read_text()


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
