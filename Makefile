# The two commands of the README are `make demo` and `make test`. Both build .venv by themselves and
# need only Python ≥ 3.11, make and the package registries; what tests and tools need beyond the
# product is installed when it is first asked for.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
TESTS := .venv/.ready-test
STAMP := .venv/.ready-dev
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# packages come by version and hash from locks/, kept by tools/lock; ours are then built without any
OURS := $(PIP) --no-deps --no-build-isolation --editable

.PHONY: help demo test test-slow test-long lint bench bench-places bench-scoring bench-album bench-text bench-edits bench-batch bench-app web test-web geoclip lock release clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 16

demo: $(READY)  ## protect the example album, and say where the clean copy is
	$(BIN)/elsewhere demo

test: $(TESTS)  ## the tests, in about six minutes on two quiet cores
	@tools/test-machine exiftool
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

test-slow: $(STAMP)  ## browser journeys, Ray, an object store
	@tools/test-machine chromium tesseract thunar Xvfb xdotool dbus-run-session
	$(BIN)/python -m pytest --slow -m slow

test-long: $(STAMP)  ## everything, with runs of many minutes
	@tools/test-machine exiftool chromium tesseract thunar Xvfb xdotool dbus-run-session
	$(BIN)/python -m pytest --slow --long

lint: $(STAMP)  ## ruff and strict mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check --quiet src lab tests benchmarks training
	$(BIN)/mypy

bench: $(STAMP)  ## the solver against its peers, where they are installed
	$(BIN)/python -m benchmarks.solver

bench-places: $(STAMP)  ## plans for places on all leaves: time with the check, memory of a large album
	$(BIN)/python -m benchmarks.places

bench-scoring: $(STAMP)  ## photos per second, memory, time to the first score
	$(BIN)/python -m benchmarks.scoring

bench-album: $(STAMP)  ## from files to plan, beside bare inference
	$(BIN)/python -m benchmarks.album

bench-text: $(STAMP)  ## signs found, read and resolved, by script and height; time and memory
	$(BIN)/python -m benchmarks.text

bench-edits: $(STAMP)  ## plans with edits beside withholding: shared, lost, found by whom, time
	$(BIN)/python -m benchmarks.edits

bench-app: $(STAMP)  ## from a click to its repaint, a thousand photos scrolled, in a real browser
	$(BIN)/python -m benchmarks.app

bench-batch: $(STAMP)  ## albums per second from scores, photos from pixels, memory as data grow
	$(BIN)/python -m benchmarks.batch

# The page of the app is committed as it is built, so that nobody needs Node to install; only to
# change it, and to see that what is committed is what the source gives.
web: build/openapi.json  ## build the app's page again, after a change in web/ or of the API (needs Node)
	cd web && npm ci --no-audit --no-fund && npm run contract -- -o src/lib/contract.ts && npm run build

test-web: build/openapi.json  ## the page's types and tests, and that contract.ts and the page are current
	@tools/test-machine npm
	cd web && npm ci --no-audit --no-fund && npm run contract -- -o ../build/contract.ts
	diff -q build/contract.ts web/src/lib/contract.ts || \
	  { echo "contract.ts is not what the app's description gives: run make web and commit it"; exit 1; }
	cd web && npm run check && npm test
	rm -rf build/page && cd web && npm run build -- --outDir ../build/page
	diff -rq build/page src/elsewhere/app/page || \
	  { echo "the committed page is not what web/ gives: run make web and commit it"; exit 1; }

.PHONY: build/openapi.json
build/openapi.json: $(STAMP)
	@mkdir -p build
	$(BIN)/python tools/openapi.py > build/openapi.json

geoclip:  ## the environment in which the scorer geoclip is tested, with PyTorch: large
	$(PYTHON) -m venv .venv-geoclip
	.venv-geoclip/bin/python -m pip install --quiet torch==2.13.0
	.venv-geoclip/bin/python -m pip install --quiet --no-deps geoclip==1.3.0
	.venv-geoclip/bin/python -m pip install --quiet transformers pandas geopy tqdm --editable .

lock:  ## write locks/ again, after a change of dependencies (needs the package registries)
	tools/lock

release: $(READY)  ## build wheel, source archive and bill of materials into dist/
	$(BIN)/python tools/release.py

clean:  ## take .venv away
	rm -rf .venv

# Made anew when the dependencies change; a stamp is written last, so that an installation that was
# cut short is repeated.
$(READY): pyproject.toml locks/run.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "elsewhere needs Python 3.11 or later; try: make PYTHON=python3.12"; exit 1; }
	@echo "Installing elsewhere into .venv (about 390 MB; a minute or two) ..."
	$(PYTHON) -m venv .venv
	$(PIP) --require-hashes --requirement locks/run.txt
	$(OURS) .
	@touch $(READY)

$(TESTS): $(READY) lab/pyproject.toml locks/test.txt
	@echo "Installing what the tests need into .venv (about 400 MB more; a minute) ..."
	$(PIP) --require-hashes --requirement locks/test.txt
	$(OURS) lab
	@touch $(TESTS)

$(STAMP): $(TESTS) locks/dev.txt
	@echo "Installing what slow tests and tools need into .venv (about 700 MB more; some minutes) ..."
	$(PIP) --require-hashes --requirement locks/dev.txt
	@touch $(STAMP)
