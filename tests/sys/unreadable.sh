#!/bin/bash
# SPDX-License-Identifier: MIT
# A file or directory that may not be read is an error that names it; nothing is left.
. "$(dirname "$0")/../lib/test.sh"

as_nobody

mkdir -p src/d/closed
echo one >src/d/one
echo two >src/d/closed/two
try() {
	"$@"
	run 2 "$SLUICE" pack src -o p.slu -q
	sentence
	has err "$name"
	[ ! -e p.slu ] || fail "there is a pack"
	no_partial .
}
name=d/one
try chmod 0 src/d/one
chmod 644 src/d/one
name=d/closed
try chmod 0 src/d/closed

# Nor can a pack be made, or its files be written, where one may not.
chmod 755 src/d/closed
run 0 "$SLUICE" pack src -o p.slu -q
mkdir locked
chmod 555 locked
run 2 "$SLUICE" pack src -o locked/p.slu -q
sentence
run 2 "$SLUICE" unpack p.slu -C locked/dst -q
sentence
run 2 "$SLUICE" unpack p.slu -C locked -q
sentence
chmod 0 p.slu/shard-00000
run 2 "$SLUICE" cat p.slu d/one
sentence
run 2 "$SLUICE" verify -q p.slu
sentence
chmod 0 p.slu/index
run 2 "$SLUICE" info p.slu
sentence
