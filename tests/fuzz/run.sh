#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs one fuzz target over its seeds for a while; new inputs go to a private directory,
# so that the tree stays as it is.
#   run.sh PROGRAM CORPUS-DIR [SECONDS]
. "$(dirname "$0")/../lib/test.sh"
program=$1
corpus=$2
seconds=${FUZZ_SECONDS:-${3:-20}}
[ -x "$program" ] || skip "the fuzz targets are not built"

export FUZZ_FIXED=${FUZZ_FIXED:-$(dirname "$corpus")/fixed}
mkdir found
kept=${FUZZ_FINDINGS:-$tmp}
rc=0
"$program" found "$corpus" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=1500 -verbosity=1 \
	-print_final_stats=1 -artifact_prefix="$kept/" >log 2>&1 || rc=$?
if [ $rc -ne 0 ]; then
	grep -v '^#' log | tail -60 >&2
	for f in "$kept"/{crash,leak,timeout,oom}-*; do
		[ -e "$f" ] || continue
		[ "$(stat -c %s "$f")" -gt 20000 ] || { echo "the input, in base64:" >&2 && base64 "$f" >&2; }
	done
	exit 1
fi
grep -E '^stat::(number_of_executed_units|average_exec)' log || tail -3 log
