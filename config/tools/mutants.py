"""``make mutants``: change security-relevant code a little, and see whether a test fails.

    mutants.py [--minutes N] [--seed N] [--jobs N]

cosmic-ray makes the mutants; of those, as many are tried as fit the time, chosen at random
with a seed that is printed, the same share of every module. Each job works in a copy of the
checkout, so that the checkout itself is never changed. Prints a table for
``docs/testing.md`` and the changes that no test noticed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

ROOT = Path(__file__).resolve().parents[2]

IN_ANNOTATIONS = re.compile(r"core/ReplaceBinaryOperator_BitOr_")
"""``int | None`` is no code that runs."""

TARGETS = {
    "platform_errors/signing/algorithm.py": "platform_errors/tests/signing/"
    "test_algorithm.py platform_errors/tests/test_signed_ladder.py",
    "platform_errors/signing/canonicalization.py": "platform_errors/tests/signing/"
    "test_algorithm.py",
    "platform_errors/http/urlencoded.py": "platform_errors/tests/signing/test_algorithm.py",
    "platform_errors/authentication.py": "platform_errors/tests/test_signed_ladder.py "
    "platform_errors/tests/test_bearer_ladder.py "
    "platform_errors/tests/signing/test_nonces.py",
    "platform_errors/signing/ladder.py": "platform_errors/tests/test_signed_ladder.py "
    "platform_errors/tests/signing/test_nonces.py",
    "platform_errors/permissions.py": "platform_errors/tests/test_permissions.py "
    "platform_errors/tests/test_signed_permissions.py "
    "platform_errors/tests/test_bearer_ladder.py",
    "platform_errors/http/client_address.py": "platform_errors/tests/http/"
    "test_client_address.py",
    "authserver/parsing/redirect_uris.py": "authserver/tests/parsing/test_redirect_uris.py "
    "authserver/tests/authorization/requests",
    "authserver/keys/policy.py": "authserver/tests/keys/test_policy.py "
    "authserver/tests/views/endpoints/token authserver/tests/authorization/requests",
    "authserver/keys/scopes.py": "authserver/tests/views/endpoints/token "
    "authserver/tests/authorization/requests",
    "authserver/keys/secret_links.py": "authserver/tests/views/pages/test_secret.py "
    "authserver/tests/admin/test_secret_links.py",
    "institution_admin/institutions.py": "config/tests/administration/test_tenancy.py "
    "config/tests/administration/test_rights.py "
    "config/tests/administration/test_attacks.py "
    "config/tests/administration/test_filters.py",
    "authserver/oauth/codes.py": "authserver/tests/views/endpoints/token",
    "authserver/oauth/clients.py": "authserver/tests/views/endpoints/token",
    "calendar_events/api/access.py": "calendar_events/tests/api/test_read_leaks.py "
    "calendar_events/tests/api/test_write_permissions.py",
    "calendar_events/models/visibility.py": "calendar_events/tests/api/test_read_leaks.py "
    "calendar_events/tests/models/test_visibility.py",
    "calendar_events/services/removal.py": "calendar_events/tests/services/"
    "test_moved_meanwhile.py calendar_events/tests/api/test_write_trash.py "
    "calendar_events/tests/api/test_write_moved_meanwhile.py",
    "calendar_events/services/moving.py": "calendar_events/tests/services/"
    "test_moved_meanwhile.py config/tests/administration/test_moving_elsewhere.py "
    "config/tests/administration/test_moving_beside_links.py",
    "calendar_events/services/restoring.py": "calendar_events/tests/admin/test_desk.py",
    "calendar_events/services/writing.py": "calendar_events/tests/services/"
    "test_moved_meanwhile.py calendar_events/tests/api/test_write_trash.py "
    "calendar_events/tests/api/test_write_permissions.py",
    "calendar_events/services/addresses.py": "calendar_events/tests/services/"
    "test_addresses.py calendar_events/tests/services/test_download.py",
}
"""Modules, and the tests that are about them."""


@dataclass(slots=True)
class Outcome:
    """What became of one module's mutants."""

    module: str
    possible: int = 0
    tried: int = 0
    killed: int = 0
    survivors: list[str] = field(default_factory=list)


def copy_of_checkout(directory: Path) -> Path:
    """Copy what git tracks, and lead to the environment and what lies beside."""
    copy = directory / "checkout"
    names = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 -- wherever git is
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    for name in filter(None, names):
        source = ROOT / name
        if source.is_file():
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    shared = ROOT.parent / "shared"
    if shared.exists():
        (directory / "shared").symlink_to(shared)
    return copy


def run_module(module: str, tests: str, copy: Path, seconds: float, seed: int) -> Outcome:
    """Try mutants of one module for so many seconds."""
    outcome = Outcome(module)
    command = f"{sys.executable} -m pytest -q -x -p no:cacheprovider {tests}"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("DATABASE_URL", None)
    each = 0.0
    for _ in range(2):
        started = time.monotonic()
        healthy = subprocess.run(  # noqa: S603 -- our own command
            command.split(),
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if healthy.returncode:
            raise SystemExit(
                f"The tests of {module} fail as it is:\n{healthy.stdout[-3000:]}"
            )
        each = time.monotonic() - started
    configuration, session = copy / "mutants.toml", copy / "mutants.sqlite"
    session.unlink(missing_ok=True)
    configuration.write_text(
        "[cosmic-ray]\n"
        f"module-path = {json.dumps(module)}\n"
        f"timeout = {5 * each + 20:.0f}\n"
        "excluded-modules = []\n"
        f"test-command = {json.dumps(command)}\n"
        '[cosmic-ray.distributor]\nname = "local"\n',
        encoding="utf-8",
    )

    def cosmic_ray(*arguments: str) -> None:
        subprocess.run(  # noqa: S603 -- our own arguments
            [sys.executable, "-m", "cosmic_ray.cli", *arguments],
            cwd=copy,
            env=environment,
            check=True,
            capture_output=True,
        )

    cosmic_ray("init", configuration.name, session.name)
    with use_db(str(session)) as database:
        annotations: list[str] = []
        jobs: list[str] = []
        for item in database.work_items:
            names = (mutation.operator_name for mutation in item.mutations)
            is_annotation = any(map(IN_ANNOTATIONS.match, names))
            (annotations if is_annotation else jobs).append(item.job_id)
        jobs.sort()
        outcome.possible = len(jobs)
        most = max(1, int((seconds - each) / each))
        left_out = random.Random(seed).sample(jobs, max(0, len(jobs) - most))  # noqa: S311
        left_out += annotations
        database.set_multiple_results(
            left_out, WorkResult(worker_outcome=WorkerOutcome.SKIPPED)
        )
    cosmic_ray("exec", configuration.name, session.name)
    with use_db(str(session)) as database:
        for _, result in database.results:
            if result.worker_outcome == WorkerOutcome.SKIPPED:
                continue
            outcome.tried += 1
            if result.test_outcome == TestOutcome.SURVIVED:
                outcome.survivors.append(result.diff or "")
            else:
                outcome.killed += 1
    return outcome


def main() -> int:
    """Try mutants of every module and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="modules whose path contains this")
    options = parser.parse_args()
    targets = {name: tests for name, tests in TARGETS.items() if options.only in name}
    if not targets:
        parser.error(f"no module has {options.only!r} in its path")
    seconds = 60 * options.minutes * options.jobs / len(targets)
    with tempfile.TemporaryDirectory(prefix="platform-mutants-") as scratch:
        copies = []
        for number in range(options.jobs):
            directory = Path(scratch, str(number))
            directory.mkdir()
            copies.append(copy_of_checkout(directory))

        def work(share: list[str], copy: Path) -> list[Outcome]:
            return [
                run_module(name, targets[name], copy, seconds, options.seed)
                for name in share
            ]

        shares = [list(targets)[number :: options.jobs] for number in range(options.jobs)]
        with ThreadPoolExecutor(options.jobs) as pool:
            outcomes = [
                outcome for found in pool.map(work, shares, copies) for outcome in found
            ]
    report(outcomes, options.seed)
    return 0


def report(outcomes: list[Outcome], seed: int) -> None:
    """Print the survivors and the table."""
    for outcome in outcomes:
        for diff in outcome.survivors:
            sys.stdout.write(f"\nsurvived in {outcome.module}:\n{diff}\n")
    tried = sum(outcome.tried for outcome in outcomes)
    killed = sum(outcome.killed for outcome in outcomes)
    lines = ["| module | mutants | tried | killed |", "|---|---:|---:|---:|"]
    lines += [
        f"| `{outcome.module}` | {outcome.possible} | {outcome.tried} | {outcome.killed} |"
        for outcome in sorted(outcomes, key=lambda outcome: outcome.module)
    ]
    share = f"{100 * killed / tried:.0f} %" if tried else "none tried"
    sys.stdout.write("\n" + "\n".join(lines) + f"\n\nseed {seed}: {share} killed\n")


if __name__ == "__main__":
    sys.exit(main())
