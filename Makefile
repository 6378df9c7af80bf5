# Every task of the project; `make help` lists them. Values such as PORT or DATABASE_URL may be
# given on the command line, in the environment or in .env. `make run` sets DEMO=1 whatever .env
# says; `make run DEMO=0`, or the environment, turns it off.

.DEFAULT_GOAL := help
.PHONY: help run docs quick test test-sqlite test-postgres test-all check linted-deploy lint imports types format schema audit sbom bench load fuzz upgrade-test wheels matrix version release lock upgrade clean

PY := .venv/bin/python
# Tests in the process itself keep a core busy; those of servers and browsers mostly wait.
JOBS ?= $(shell nproc)
WAITING_JOBS ?= $(shell echo $$((3 * $$(nproc))))
# Which tests `make test` runs where, by their markers (pytest.ini, docs/testing.md).
ON_SQLITE = not nightly and (not processes or sqlite_only)
ON_POSTGRES = not nightly and not processes and (both_databases or postgresql_only)
WAITING = not nightly and processes
PYTEST = $(PY) -m pytest -q
IN_PROCESS = $(PYTEST) -n $(JOBS) --dist worksteal
# Many workers, so that each collects only the modules that have such tests; one cluster.
OUTSIDE = env -u TEST_CLUSTERS $(PYTEST) -n $(WAITING_JOBS) --dist loadgroup \
	$$(grep -rl --include="test_*.py" "mark.processes" $(TESTED))
TESTED = authserver benchmarks calendar_events config institution_admin platform_errors
ON_CLUSTERS = $(PY) config/tools/with_postgres.py --clusters $(JOBS)
COVERAGE = --cov --cov-append --cov-report= --cov-fail-under=0
# The apps that `make quick` tests.
APP ?= $(shell config/tools/changed_apps.sh)
# Django with settings as in production, and nothing of the caller's environment.
MANAGE = @env -i PATH="$(PATH)" HOME="$(HOME)" READ_DOT_ENV=0 DEMO=0 DEBUG=0 WORKERS=1 \
	PUBLIC_URL=https://platform.example TRUSTED_PROXIES=127.0.0.1 DATABASE_URL=sqlite:///:memory: \
	SECRET_KEY=only-for-make-check-0123456789abcdefghijklmnopqrstuvwxyz0123456789 \
	ENCRYPTION_KEYS=b25seS1mb3ItbWFrZS1jaGVjay0zMi1ieXRlcy1vayE= $(PY) manage.py
PAGES = templates authserver/templates calendar_events/templates config/templates institution_admin/templates
DEMO ?= 1

# Without Python's own caches each of many processes compiles everything again.
unexport PYTHONDONTWRITEBYTECODE

# Stamps: the environment is made again when a requirements file changes.
.make/run: requirements.txt requirements-docs.txt config/tools/setup.sh
	@config/tools/setup.sh requirements.txt requirements-docs.txt
	@mkdir -p .make && touch $@

.make/dev: requirements.txt requirements-docs.txt requirements-dev.txt config/tools/setup.sh
	@config/tools/setup.sh requirements.txt requirements-docs.txt requirements-dev.txt
	@mkdir -p .make && touch $@ .make/run

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: .make/run docs ## Set up everything and serve on 127.0.0.1:8000 with demo data
	@DEMO=$(DEMO) exec $(PY) manage.py serve

docs: .make/run ## Build the documentation into .make/site, strictly
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict

quick: .make/dev ## In a minute: format, lint, imports, types, tests of the apps that changed, or APP=authserver
	@.venv/bin/ruff format --check -q .
	@.venv/bin/ruff check -q .
	$(MAKE) --no-print-directory imports types
	env -u DATABASE_URL $(IN_PROCESS) -m "not nightly and not processes and not fuzz" $(APP)

test: .make/dev docs ## The suite, each behaviour on every database that it may differ on
	@config/tools/install_test_tools.sh
	$(MAKE) --no-print-directory test-sqlite
	$(MAKE) --no-print-directory test-postgres

test-sqlite: .make/dev ## What of it runs on SQLite
	@echo "--- SQLite"
	@env -u DATABASE_URL $(IN_PROCESS) -m "$(ON_SQLITE)"

test-postgres: .make/dev ## What of it runs on PostgreSQL, with servers, processes and browsers
	@echo "--- PostgreSQL"
	@$(ON_CLUSTERS) sh -c '$(IN_PROCESS) -m "$(ON_POSTGRES)" && $(OUTSIDE) -m "$(WAITING)"'

test-all: .make/dev ## For a night or a release: everything on both databases, the coverage, longer fuzzing
	@config/tools/install_test_tools.sh
	@rm -f .coverage .coverage.*
	@echo "--- SQLite"
	@env -u DATABASE_URL sh -c '$(IN_PROCESS) $(COVERAGE) -m "not processes" && $(OUTSIDE) $(COVERAGE) -m processes'
	@echo "--- PostgreSQL"
	@$(ON_CLUSTERS) sh -c '$(IN_PROCESS) $(COVERAGE) -m "not processes" && $(OUTSIDE) $(COVERAGE) -m processes'
	@$(PY) -m coverage report --skip-covered --show-missing
	@echo "--- Fuzzing"
	$(MAKE) --no-print-directory fuzz EXAMPLES=1000

check: .make/dev lint imports types docs ## Format, lint, templates, spelling, import contracts, types, deploy checks, deploy/, OpenAPI, dependencies, migrations
	$(MANAGE) check --deploy --fail-level WARNING
	$(MANAGE) makemigrations --check --dry-run
	$(MANAGE) spectacular --validate --fail-on-warn --file /dev/null
	$(MAKE) --no-print-directory linted-deploy
	@$(PY) config/tools/audit.py requirements.txt
	@$(PY) config/tools/sbom.py
	@config/tools/install_test_tools.sh
	@echo "locks of migrations"
	@$(PY) config/tools/with_postgres.py $(PY) -m config.tools.lint_migrations

# The manifest for Kubernetes is one list, whose objects are validated one by one.
linted-deploy: .make/dev
	@.venv/bin/hadolint deploy/Containerfile
	@.venv/bin/shellcheck $$(find deploy -name '*.sh')
	@.venv/bin/yamllint --strict -d '{extends: default, rules: {line-length: {max: 120}, document-start: disable, braces: {max-spaces-inside: 0}, comments: {min-spaces-from-content: 1}}}' \
		deploy/compose.yaml deploy/kubernetes.yaml deploy/cluster/patroni.yml
	@.venv/bin/check-jsonschema --quiet --builtin-schema vendor.compose-spec deploy/compose.yaml
	@$(PY) -c 'import yaml; print(yaml.safe_dump_all(yaml.safe_load(open("deploy/kubernetes.yaml"))["items"]))' > .make/kubernetes.yaml
	@.venv/bin/kubernetes-validate --quiet --strict -k 1.30 .make/kubernetes.yaml
	@rm -rf .make/systemd && cp -a deploy/systemd .make/systemd
	@if command -v systemd-analyze > /dev/null; then systemd-analyze verify --man=no $$(find .make/systemd -maxdepth 1 -type f); \
		else echo "systemd-analyze is missing, so the units are not checked."; fi

lint: .make/dev ## Formatting, code, templates and spelling
	@.venv/bin/ruff format --check .
	@.venv/bin/ruff check .
	@.venv/bin/djlint --check --quiet $(PAGES)
	@.venv/bin/djlint --lint --quiet $(PAGES)
	@.venv/bin/typos

imports: .make/dev ## Which room may import which
	@.venv/bin/lint-imports --no-logo

types: .make/dev ## mypy, strict
	@.venv/bin/mypy .

format: .make/dev ## Rewrite code and templates in the house style
	@.venv/bin/ruff format .
	@.venv/bin/ruff check --fix --quiet . || true
	@.venv/bin/djlint --reformat --quiet $(PAGES) || true

schema: .make/dev ## Print the OpenAPI description of the events interface
	@DEMO=1 $(PY) manage.py spectacular --validate --fail-on-warn

audit: .make/dev ## Look for known vulnerabilities of everything that is pinned, tools included
	@$(PY) config/tools/audit.py requirements.txt requirements-docs.txt requirements-dev.txt requirements-saml-idp.txt

sbom: .make/dev ## Write the bill of materials (CycloneDX) to .make/sbom.json
	@$(PY) config/tools/sbom.py

bench: .make/dev ## Measure into .make/benchmarks.md; ONLY=growth,feeds SIZES=10k,1M QUICK=1
	@config/tools/install_test_tools.sh
	@$(PY) config/tools/with_postgres.py --durable $(PY) -m benchmarks \
		$(if $(ONLY),--only $(ONLY)) $(if $(SIZES),--sizes $(SIZES)) $(if $(QUICK),--quick)

load: .make/dev ## A mixture of journeys at a fixed rate, to standard output; EVENTS=300000 RATE=40 SECONDS=120
	@$(PY) config/tools/with_postgres.py --durable $(PY) -m benchmarks.load \
		$(if $(EVENTS),--events $(EVENTS)) $(if $(RATE),--rate $(RATE)) $(if $(SECONDS),--seconds $(SECONDS))

fuzz: .make/dev ## The long form of the fuzz tests; EXAMPLES=10000
	@env -u DATABASE_URL FUZZ=long $(if $(EXAMPLES),EXAMPLES=$(EXAMPLES)) $(IN_PROCESS) -m fuzz

upgrade-test: .make/dev ## Serve while a next version migrates 300,000 events
	@EVENTS_TO_MIGRATE=300000 $(PY) config/tools/with_postgres.py $(PY) -m pytest -q -s config/tests/change/test_serving_while_migrating.py

wheels: .make/dev ## Build a wheel of each app into .make/wheels
	@rm -rf .make/wheels
	@for app in authserver calendar_events institution_admin platform_errors; do \
		.venv/bin/uv build --quiet --wheel --no-build-isolation --python $(PY) --out-dir .make/wheels $$app || exit; done

matrix: .make/dev ## Each app alone, from its wheel, on every version of Python and Django; for a night
	$(PYTEST) -n $(JOBS) --dist loadfile config/tests/test_reuse.py

version: .make/dev ## Give the next release its number, VERSION=1.1.0, in the code and the changelog
	@$(PY) -m config.tools.release set "$(VERSION)"

release: .make/dev ## Check the commit and put what a release is into .make/release; make test-all first
	@$(PY) -m config.tools.release refuse
	$(MAKE) --no-print-directory check wheels sbom
	@$(PY) -m config.tools.release collect

lock: .make/dev ## Pin what the requirements name, and move no other pin
	@for part in "" -tracing -dev -docs -saml-idp; do .venv/bin/uv pip compile -q $(UPGRADE) --no-strip-extras \
		--generate-hashes --python-version 3.11 requirements$$part.in -o requirements$$part.txt || exit; done

upgrade: ## Pin everything again, at its newest version
	$(MAKE) --no-print-directory lock UPGRADE=--upgrade

clean: ## Remove what the targets made, except databases
	@rm -rf .make .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage staticfiles
