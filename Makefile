# Everything happens in .venv, which the first target that needs it makes.
# Versions come from constraints.txt (written by `make lock`), so that a clone of
# today's commit installs the same tomorrow, from whatever index pip is set up for.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test lint types tests docs quick quick-rules quick-pairings test-all test-whole test-postgresql test-languages \
	test-container test-dask test-sandbox test-uploads test-packaging test-compiled test-chaos test-all-long chaos fuzz compiled bench lock stamp release-check clean site

help: ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

$(VENV)/made: pyproject.toml clients/python/pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Polynya needs Python 3.11 or newer: install it, or run 'make PYTHON=/path/to/python3'."; exit 1; }
	@echo "Making $(VENV) with $(PYTHON) ..."
	@$(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) cannot make a virtual environment: on Debian and Ubuntu, apt install python3-venv."; exit 1; }
	@$(PIP) install --upgrade pip
	@echo "Installing Polynya and what it needs: about a minute ..."
	@$(PIP) install --constraint constraints.txt --editable '.[host]' --editable clients/python
	@touch $@

$(VENV)/made-dev: $(VENV)/made
	@echo "Installing what the tests need ..."
	@$(PIP) install --constraint constraints.txt --group dev
	@touch $@

# What users install: a wheel, with its compiled modules. Here it lies beside the checkout, which
# is interpreted, and runs for whoever has it in PYTHONPATH.
COMPILED := build/compiled
ROOMS := common protocol games server contest store hosting foreign conformance tournaments evidence web app
PACKAGES := $(foreach room,$(ROOMS),$(room)/polynya_$(room))

$(COMPILED)/made: $(VENV)/made-dev $(shell find building $(PACKAGES) -type f -not -path '*/__pycache__/*' 2>/dev/null)
	@echo "Building a wheel and installing it into $(COMPILED): about a minute ..."
	@rm -rf $(COMPILED)
	@PIP_BUILD_CONSTRAINT=$(CURDIR)/constraints.txt $(PIP) install --no-deps --target $(COMPILED) .
	@touch $@

DEMO := tournament run tournaments/examples/demo.toml --database demo/polynya.sqlite

demo: $(VENV)/made ## a round robin of Packeis am Pol over TCP, with a table at the end; WEB=1 to watch it in the browser
	@mkdir -p demo
	@$(BIN)/polynya $(DEMO) $(if $(WEB),--web-port 8080)
	@echo
	@echo "Everything is in demo/polynya.sqlite. Try next:"
	@echo "  $(BIN)/polynya ratings --database demo/polynya.sqlite"
	@echo "  $(BIN)/polynya replay show demo-1 --database demo/polynya.sqlite"
	@echo "  $(BIN)/polynya replay verify --all --database demo/polynya.sqlite"
	@echo "  $(BIN)/polynya web --database demo/polynya.sqlite"
	@echo "  $(BIN)/polynya match greedy packeis --games 4"
	@echo "  and write your own bot: docs/write-a-bot.md"
	@$(if $(WEB),$(BIN)/polynya web --database demo/polynya.sqlite)

site: $(VENV)/made-dev ## the documentation as a site in build/site/html; any broken link fails ('polynya docs' shows it)
	@$(BIN)/python docs/website/build_site.py

test: $(VENV)/made-dev ## what a change must pass: ruff, mypy and the tests: about a quarter of an hour on two cores
	@$(BIN)/python -m tests lint types default

lint: $(VENV)/made-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python docs/prose/check.py

types: $(VENV)/made-dev
	@$(BIN)/mypy

# Groups of tests and checks, two at a time, with a line for each; tests/__main__.py lists them.
tests: $(VENV)/made-dev
	@$(BIN)/python -m tests

test-all: $(VENV)/made-dev ## everything that CI checks: about half an hour
	@$(BIN)/python -m tests lint types site compiled languages packaging default postgresql uploads whole dask sandbox chaos

test-whole: $(VENV)/made-dev ## whole tournaments of every format and game, interrupted, killed and continued
	@$(BIN)/python -m tests whole

test-container: $(VENV)/made-dev ## the image of the Containerfile, built and run (as root; needs podman, runc and debootstrap)
	@$(BIN)/python -m tests container

test-dask: $(VENV)/made-dev ## matches on workers of Dask, some of them killed and stopped
	@$(BIN)/python -m tests dask

test-sandbox: $(VENV)/made-dev ## hostile bots in real sandboxes (needs bubblewrap and firejail)
	@$(BIN)/python -m tests sandbox

test-all-long: $(VENV)/made-dev ## the long comparisons whole, and an hour of hostile uploads; POLYNYA_LONG_S=600 for less (needs bubblewrap)
	@POLYNYA_LONG=1 $(BIN)/python -m tests long
	@$(BIN)/python -m tests.tournaments.hostile_uploads.campaign

test-uploads: $(VENV)/made-dev ## programs that are uploaded: checked, built, tried, hosted (needs bubblewrap)
	@$(BIN)/python -m tests uploads

test-postgresql: $(VENV)/made-dev ## tournaments and faults on a private PostgreSQL server
	@$(BIN)/python -m tests postgresql

test-languages: $(VENV)/made-dev ## the SDKs of all languages: built, tested, and playing (needs their toolchains)
	@$(BIN)/python -m tests languages

test-packaging: $(VENV)/made-dev ## every artefact of a release: built, checked, installed, used (needs the toolchains)
	@$(BIN)/python -m tests packaging

release-check: $(VENV)/made-dev ## every artefact built, checked, installed and played with: a table (needs all toolchains)
	@$(BIN)/python -m tests.packaging

test-chaos: $(VENV)/made-dev ## a short campaign of faults, and databases that fail
	@$(BIN)/python -m tests chaos

# What compiled code could do otherwise: the modules that pyproject.toml lists, but for the slowest tests.
COMPILED_TESTS := protocol games/packeis games/test_golden_playthroughs.py games/test_perft.py \
	games/test_randomness.py server/match server/sessions/test_remote_clocks.py server/sessions/test_reconnect.py \
	server/spectating server/timing server/transport

test-compiled: $(COMPILED)/made ## the tests of rules, codec, clocks and referee with the wheel (needs a C compiler)
	@$(BIN)/python building/c_compiler.py
	@PYTHONPATH=$(CURDIR)/$(COMPILED) $(BIN)/pytest -q $(COMPILED_TESTS:%=tests/%)

# Without the slowest comparisons with second implementations, and without processes: those take minutes.
SLOW_RULES := arktia_against_naive or vectors_current or game_from_outside or keeps_the
REFEREE := match/test_referee match/test_referee_machine match/test_ready sessions/test_remote_clocks
PAIRINGS := contest/pairing/test_schedule contest/pairing/test_drawn_once contest/pairing/test_fair_play \
	contest/pairing/test_standings contest/pairing/swiss/test_swiss contest/pairing/swiss/test_swiss_pairing \
	contest/pairing/brackets/test_knockout contest/pairing/brackets/test_double_elimination \
	tournaments/tournament/test_drawing tournaments/ladder/test_matchmaking

quick: $(VENV)/made-dev ## rules, protocol, referee and pairings, in under a minute on two cores
	@$(MAKE) --no-print-directory --jobs 2 --output-sync quick-rules quick-pairings

quick-rules: $(VENV)/made-dev
	@$(BIN)/pytest -q tests/games tests/protocol -k "not ($(SLOW_RULES))"

quick-pairings: $(VENV)/made-dev
	@$(BIN)/pytest -q $(REFEREE:%=tests/server/%.py) $(PAIRINGS:%=tests/%.py) \
		-k "not no_way_of_dropping and not large_fields and not drawn_in_portions"

chaos: $(VENV)/made-dev ## four to six minutes of faults of every kind; SEED=7 for others (needs a C compiler)
	@POLYNYA_CHAOS_SEED=$(SEED) $(BIN)/pytest tests/chaos -m chaos --capture=no

fuzz: $(VENV)/made-dev ## fuzz the codec and the connection for a minute (Linux on x86-64)
	@$(PIP) install --constraint constraints.txt --group fuzz
	@$(BIN)/python -m tests.fuzz

compiled: $(COMPILED)/made ## the wheel in build/compiled, for PYTHONPATH (needs a C compiler)

docs: $(VENV)/made-dev ## write anew what programs write in docs/ (but for photographs)
	@$(BIN)/python docs/session.py
	@$(BIN)/python docs/settings_tables.py
	@$(BIN)/python docs/openspiel_table.py
	@$(BIN)/python docs/nil_table.py
	@for game in packeis arktia icecult; do $(BIN)/python docs/rules/draw_$$game.py; done

bench: $(COMPILED)/made ## the benchmarks of the wheel, as ratios (needs a C compiler)
	@PYTHONPATH=$(CURDIR)/$(COMPILED) $(BIN)/python -m benchmarks

stamp: ## write the version, the repository's address, licence and vectors of the SDKs into their folders
	@$(PYTHON) building/stamp.py

lock: $(VENV)/made-dev ## resolve the dependencies anew
	@$(PIP) install uv
	@UV_PYTHON_DOWNLOADS=never UV_DEFAULT_INDEX=https://pypi.org/simple $(BIN)/uv lock --upgrade
	@UV_PYTHON_DOWNLOADS=never $(BIN)/uv export --quiet --frozen --all-groups --all-extras \
		--no-hashes --no-emit-project --no-header --no-annotate --output-file constraints.txt

clean: ## remove the virtual environment, what was built, and what the demo left
	rm -rf $(VENV) demo dist build
