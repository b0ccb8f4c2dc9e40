#!/bin/bash
# SPDX-License-Identifier: MIT
# A disk that is full stops the recording, not the program: no SIGBUS, the same output and exit code; and it is said.
. "$(dirname "$0")/../lib/test.sh"
requires unshare
cat >many.c <<'EOF'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char path[200];
	for (int i = 0; i < 40000; i++) {
		snprintf(path, sizeof(path), "/nowhere/of-all-places/%08d", i);
		if (open(path, O_RDONLY) >= 0)
			return 1;
	}
	puts("done");
	return 7;
}
EOF
"${CC:-cc}" -w -o many many.c
mkdir small
unshare -m sh -c '
	mount -t tmpfs -o size=1m none small || exit 77
	"$SLUICE" trace -q -o small/t -- ./many >out 2>err
	echo $? >code
	cp -r small/t kept' || { [ $? = 77 ] && skip "no tmpfs can be mounted here"; }
[ "$(cat code)" = 7 ] || fail "exit $(cat code): $(cat err)"
[ "$(cat out)" = done ] || fail "the output: $(cat out)"
"$DUMP" kept >dump || fail "$(cat dump)"
grep -q '^process.*flags=10' dump || fail "it is not said that there was no space: $(grep ^process dump)"
awk -F'\t' '$1 == "call" && $3 == "open" { sub("count=", "", $5); n += $5 } END { exit n < 40000 }' dump || fail "calls are missing"
awk -F'\t' '$1 == "file" && $3 == "/nowhere/of-all-places/" { found = 1 } END { exit !found }' dump || fail "the rest is not by directory"
