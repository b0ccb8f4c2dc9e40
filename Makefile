# SPDX-License-Identifier: MIT
# The front door. Everything real is in meson.build; this only saves typing.
#
#   make           build (build/sluice works in place)
#   make deps      install what is needed, by apt, or print it
#   make demo      the main job, end to end
#   make test      the tests (at most ten minutes on two cores)
#   make test-all  the long sweeps too
#   make bench     speed and size, against rivals
#   make results   test-all and bench, written to docs/results.md
#   make asan tsan the tests under sanitizers
#   make fuzz      the fuzzers, FUZZ_SECONDS each (600)
#   make install   PREFIX=/usr/local, DESTDIR=

BUILD ?= build
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
# Ask for what is missing only once, not on each call.
STAMP = $(BUILD)/build.ninja

.PHONY: all deps test test-all demo bench results asan tsan fuzz install check clean

all: $(STAMP)
	@meson compile -C $(BUILD) >$(BUILD)/make.log 2>&1 || { cat $(BUILD)/make.log; exit 1; }
	@echo "built: $(BUILD)/sluice"

$(STAMP):
	@tools/deps build
	meson setup --prefix $(PREFIX) $(BUILD)

deps:
	@tools/deps build test

test: deps all
	@tools/run-tests $(BUILD) quick

test-all: deps all
	@tools/run-tests $(BUILD) quick long

demo: all
	@examples/demo.sh $(BUILD)

bench: deps all
	@tools/deps bench
	@bench/run.sh $(BUILD)

results: deps all
	@tools/record-results $(BUILD)

asan: deps
	@[ -f build-asan/build.ninja ] || meson setup -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 build-asan
	@meson compile -C build-asan
	@tools/run-tests build-asan quick

tsan: deps
	@[ -f build-tsan/build.ninja ] || meson setup -Db_sanitize=thread -Db_lundef=false -Doptimization=1 build-tsan
	@meson compile -C build-tsan
	@tools/run-tests build-tsan threads

fuzz: deps all
	@meson compile -C $(BUILD) fuzz-programs
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run.sh $(BUILD)/tests/fuzz

# The prefix may be another than at the first call: then the .pc file is made anew.
install: all
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	meson install -C $(BUILD)
	@tools/install-hints $(BUILD) $(abspath $(PREFIX))

check:
	@tools/check-layers
	@tools/check-format

clean:
	rm -rf $(BUILD) build-asan build-tsan
