#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs fuzz targets over their seeds for FUZZ_SECONDS (20) each, building them where need be. New
# inputs go to a private directory, so that the tree stays as it is; an input that makes a
# target crash goes to FUZZ_FINDINGS, if that is set, and to the output.
#   run.sh BUILD-DIR [TARGET...]
. "$(dirname "$0")/../lib/test.sh"
requires clang meson ninja
here=$(cd "$lib/../fuzz" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$OLDPWD" && mkdir -p "$1" && cd "$1" && pwd)
shift
if [ $# = 0 ]; then
	set -- fuzz-index fuzz-shard fuzz-decode fuzz-trace
	! pkg-config --exists libjpeg || set -- "$@" fuzz-jpeg
fi
bash "$here/build.sh" "$root" "$build" >build.log 2>&1 || { cat build.log >&2; exit 1; }
export FUZZ_FIXED=$here/fixed

show_findings() {
	grep -v '^#' log | tail -60 >&2
	for f in "$kept"/{crash,leak,timeout,oom}-*; do
		[ -e "$f" ] && [ "$(stat -c %s "$f")" -lt 20000 ] || continue
		echo "the input, in base64:" >&2
		base64 "$f" >&2
	done
}

kept=${FUZZ_FINDINGS:-$tmp}
for target; do
	mkdir -p "$target.found"
	rc=0
	"$build/$target" "$target.found" "$here/corpus-${target#fuzz-}" -max_total_time="${FUZZ_SECONDS:-20}" -max_len=65536 \
		-timeout=20 -rss_limit_mb=1500 -print_final_stats=1 -artifact_prefix="$kept/" >log 2>&1 || rc=$?
	if [ $rc -ne 0 ]; then
		show_findings
		exit 1
	fi
	echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' log) inputs in ${FUZZ_SECONDS:-20} s, none crashed"
done
