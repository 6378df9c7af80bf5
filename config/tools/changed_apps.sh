#!/bin/sh
# Print the apps that differ from the last commit or, if nothing does, that it changed. What
# is in none of them, such as a page of docs/, is tested by config's.
set -eu

files=$(git diff --name-only HEAD && git ls-files --others --exclude-standard)
[ -n "$files" ] || files=$(git show --name-only --format= HEAD)
printf '%s\n' "$files" | cut -d/ -f1 |
    sed -E '/^(authserver|calendar_events|config|institution_admin|platform_errors)$/!s/.*/config/' | sort -u
