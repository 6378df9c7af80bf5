#!/bin/sh
# Make the virtual environment at .venv and install the pinned requirements that are named.
#   setup.sh requirements.txt [requirements-dev.txt]
# Needs Python 3.11 or later with venv; as root a missing python3-venv is installed.
set -eu

say() { printf '%s\n' "$*" >&2; }

PYTHON=${PYTHON:-python3}
if ! command -v "$PYTHON" >/dev/null 2>&1; then
    say "No $PYTHON found. Install Python 3.11 or later, or set PYTHON to its path."
    exit 1
fi
if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    say "Python 3.11 or later is needed; $PYTHON is $("$PYTHON" --version)."
    exit 1
fi
if ! "$PYTHON" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        say "Installing python3-venv ..."
        apt-get -qq update
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y python3-venv >/dev/null
    else
        say "Python's venv module is missing. On Debian: sudo apt-get install python3-venv"
        exit 1
    fi
fi

# An environment whose interpreter is gone (a moved or copied checkout) is made again.
if ! .venv/bin/python -c '' >/dev/null 2>&1; then
    say "Making the virtual environment .venv ..."
    rm -rf .venv
    "$PYTHON" -m venv .venv
fi

say "Installing $* ..."
set -- $(printf -- '-r %s ' "$@")
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input \
    --root-user-action=ignore --require-hashes "$@"
