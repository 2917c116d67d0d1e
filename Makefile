# Every target makes the environment it needs, from nothing. `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help demo ask test unit fuzz lint lint-python lint-page check nightly golden soak bench docs man page site clean

BIN := .venv/bin
ARGS ?=
export QUESTION = $(value Q)

help:  ## list the targets
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/  make \1\t\2/p' Makefile | expand -t 16

demo: .venv/installed  ## index this machine's manual pages and answer a question from them
	$(BIN)/ragadmin reindex --background || test $$? -eq 3  # 3: done, but some pages could not be read
	$(BIN)/ragman "How do I change file permissions?"

ask: .venv/installed  ## answer another: make ask Q="How do I find large files?"
	@test -n "$$QUESTION" || { echo 'Usage: make ask Q="How do I find large files?"' >&2; exit 2; }
	@$(BIN)/ragman "$$QUESTION"

test: .venv/developing  ## run the tests, in parallel; ARGS="-k permissions" picks some, ARGS=--changed those that the commits since main can reach
	$(BIN)/python scripts/run_tests.py $(ARGS)

unit: .venv/developing  ## run the tests that start no process, in a minute
	$(BIN)/python scripts/run_tests.py tests/unit $(ARGS)

fuzz: .venv/developing  ## run the tests of properties with random examples, 2,000 each
	$(BIN)/python scripts/run_tests.py -m hypothesis --hypothesis-profile=fuzz $(ARGS)

lint: lint-python lint-page  ## check style, types and the directions of imports

lint-python: .venv/developing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src

lint-page: .venv/developing web/node_modules/.package-lock.json
	npm --prefix web run --silent lint
	npm --prefix web run --silent test
	$(BIN)/python scripts/build_page.py --check

check: lint  ## everything a change must pass: lint, and the tests with branch coverage
	$(BIN)/python scripts/run_tests.py --cov $(ARGS)

nightly: .venv/developing  ## run the tests that take minutes: clusters, kills, statistics, limits of benchmarks
	KILLS=$${KILLS:-40} $(BIN)/python scripts/run_tests.py -m "nightly or cluster or soak" $(ARGS)

golden: .venv/developing  ## record the answers to 1,400 questions and requests; afterwards, compare with the recording
	$(BIN)/python benchmarks/golden.py $(ARGS)

soak: .venv/developing  ## kill reindexing at 200 random moments, and see that nothing is lost
	KILLS=$${KILLS:-200} $(BIN)/pytest tests/integration/test_soak.py $(ARGS)

bench: .venv/developing  ## measure quality and speed, next to their baselines
	$(BIN)/python benchmarks/run.py $(ARGS)

docs: .venv/developing  ## check what the documents say by running it
	$(BIN)/pytest tests/docs $(ARGS)

man: .venv/installed  ## write the manual pages of our own commands and the page of template fields
	$(BIN)/python scripts/man_pages.py
	$(BIN)/python scripts/template_fields.py

page: .venv/developing web/node_modules/.package-lock.json  ## build the web page from web/ into the package; needs Node.js
	$(BIN)/python scripts/build_page.py

site: pyproject.toml uv.lock  ## build the documentation site into build/site/site
	@scripts/environment site
	$(BIN)/python scripts/build_site.py

clean:  ## remove the environment and what tools left behind
	rm -rf web/node_modules .venv .coverage* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist htmlcov

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	npm --prefix web ci --silent --no-audit --no-fund

.venv/installed: pyproject.toml uv.lock scripts/environment
	@scripts/environment
	@touch $@

.venv/developing: pyproject.toml uv.lock scripts/environment
	@scripts/environment test lint
	@touch $@
