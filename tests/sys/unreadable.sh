#!/bin/bash
# SPDX-License-Identifier: MIT
# A file or directory that may not be read is an error that names it; nothing is left.
. "$(dirname "$0")/../lib/test.sh"

mkdir -p src/d/closed
echo one >src/d/one
echo two >src/d/closed/two
try() {
	if [ "$(id -u)" = 0 ]; then
		requires setpriv
		chmod -R o+rwX "$tmp"
		chmod 1777 "$tmp"
		"$@"
		run 2 setpriv --reuid=65534 --regid=65534 --clear-groups "$SLUICE" pack src -o p.slu -q
	else
		"$@"
		run 2 "$SLUICE" pack src -o p.slu -q
	fi
	sentence
	has err "$name"
	[ ! -e p.slu ] || fail "there is a pack"
	no_partial .
}
if [ "$(id -u)" = 0 ]; then
	setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$SLUICE" || skip "others may not run the binary"
fi
name=d/one
try chmod 0 src/d/one
chmod 644 src/d/one
name=d/closed
try chmod 0 src/d/closed
