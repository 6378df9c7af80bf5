"""Packages from npm for tests, kept between runs by pytest's cache."""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


def installed(config, package, version):
    """Return a directory whose ``node_modules`` has the package; skip without npm.

    Made beside it and renamed: processes that install at once never see half of one.
    """
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("Node.js and npm are not installed")
    directory = config.cache.mkdir(f"{package}-{version}")
    made = directory / "node_modules"
    if made.is_dir():
        return directory
    with TemporaryDirectory(dir=directory) as fresh:
        install = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", f"{package}@{version}"],
            cwd=fresh,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if install.returncode:
            pytest.skip(f"npm cannot install {package}: {install.stderr[-200:]}")
        try:
            (Path(fresh) / "node_modules").rename(made)
        except OSError:
            assert made.is_dir(), "another process was faster, or this one failed"
    return directory


def program(source, config, package, version, directory):
    """Return a copy of a program in a directory of its own, where it finds the package.

    Beside the package, where tests share it, another process could read half of it.
    """
    modules = installed(config, package, version) / "node_modules"
    (directory / "node_modules").symlink_to(modules)
    return Path(shutil.copy(source, directory))
