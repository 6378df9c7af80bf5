"""The hooks before a commit are tools of the project, and those of `make lint`."""

import re

import yaml

from config.tests.servers import ROOT

REPOSITORIES = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
HOOKS = [hook for repository in REPOSITORIES for hook in repository["hooks"]]


def tools(text):
    return re.findall(r"\.venv/bin/(\S+)", text)


def test_nothing_is_downloaded():
    assert [repository["repo"] for repository in REPOSITORIES] == ["local"]
    assert {hook["language"] for hook in HOOKS} == {"system"}


def test_the_hooks_are_what_make_lint_runs():
    makefile = (ROOT / "Makefile").read_text()
    target = re.search(r"^lint:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)

    entries = "\n".join(hook["entry"] for hook in HOOKS)

    assert tools(entries) == tools(target[1])
