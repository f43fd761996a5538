# Everything runs in .venv, which the first target that needs it makes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The extras that `make test` installs; TEST_EXTRAS=test,torch also runs the tests that need torch.
TEST_EXTRAS ?= test
PYTEST_ARGS ?= -n auto --maxprocesses=8
FUZZ_ARGS ?= --count 10000 --seed 0

comma := ,
demo_installed := $(VENV)/.installed
test_installed := $(VENV)/.installed-$(subst $(comma),-,$(TEST_EXTRAS))
dev_installed := $(VENV)/.installed-dev-$(subst $(comma),-,$(TEST_EXTRAS))

.DEFAULT_GOAL := help
.PHONY: help demo test sanitize fuzz lint typecheck bench format clean
.DELETE_ON_ERROR:

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(demo_installed)  ## Compile the tiled matmul to CUDA C and cubins, run it on the CPU, compare with NumPy
	$(BIN)/python examples/matmul.py

test: $(test_installed)  ## Run lit and pytest
	$(BIN)/python -m pytest $(PYTEST_ARGS)

sanitize: $(test_installed)  ## Run the kernels of the tests and the examples with checks
	$(BIN)/python -m pytest $(PYTEST_ARGS) --mytriton-sanitize tests/kernels tests/semantics tests/test_examples.py

fuzz: $(test_installed)  ## Run thousands of random kernels; what fails is minimised into build/fuzz
	$(BIN)/python -m tests.fuzz.run $(FUZZ_ARGS)

lint: $(dev_installed)  ## Check style with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

typecheck: $(dev_installed)  ## Check types with pyright
	$(BIN)/pyright

bench: $(demo_installed)  ## Measure compile times and the CPU device
	$(BIN)/python benchmarks/compile_time.py
	$(BIN)/python benchmarks/cpu_device.py
	$(BIN)/python benchmarks/checker.py

format: $(dev_installed)  ## Format the code and mend what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## Remove what the other targets made
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "mytriton needs Python 3.11 or later: make PYTHON=python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || \
		{ echo "$(PYTHON) cannot make virtual environments; on Debian: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(demo_installed): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(test_installed): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[$(TEST_EXTRAS)]'
	touch $@

$(dev_installed): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev,$(TEST_EXTRAS)]'
	touch $@
