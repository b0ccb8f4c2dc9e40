# SPDX-License-Identifier: MIT
# What shell tests share. Source it first:  . "$(dirname "$0")/../lib/test.sh"
#
# Gives: a private directory ($tmp, where the test starts), removed at the end; requires;
# cleanup; fail; skip; run, and the checks made of it; $SLUICE, $lib, $python. A failing command is
# told with its line. Exit 0 pass, 77 skip, else fail.
set -eu

lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SLUICE=${SLUICE:-sluice}
python=${PYTHON:-/usr/bin/python3}
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
umask 022

tmp=$(mktemp -d "${TMPDIR:-/tmp}/sluice-test-XXXXXX")
undo=()
_line=0

# cleanup CMD ARG...: to be run at the end, last one first, whatever happens.
cleanup() {
	local q
	printf -v q '%q ' "$@"
	undo=("$q" ${undo[@]+"${undo[@]}"})
}

_at_exit() {
	local rc=$? c
	trap - EXIT ERR
	set +eu
	[ $rc -eq 0 ] || [ $rc -eq 77 ] || echo "failed: exit $rc, last command at line $_line" >&2
	for c in "${undo[@]}"; do eval "$c"; done
	cd /
	chmod -R u+rwX "$tmp" 2>/dev/null
	rm -rf "$tmp"
	exit $rc
}
set -E
trap '_line=$LINENO; echo "${BASH_SOURCE[0]##*/}:$LINENO: failed: $BASH_COMMAND" >&2' ERR
trap _at_exit EXIT
trap 'exit 130' INT TERM
cd "$tmp"

skip() {
	echo "skipped: $*"
	exit 77
}

# fail SENTENCE: ends the test, with the line of the caller.
fail() {
	echo "${BASH_SOURCE[1]##*/}:${BASH_LINENO[0]}: $*" >&2
	exit 1
}

# requires CMD...: commands without which the test makes no sense.
requires() {
	local c
	for c; do command -v "$c" >/dev/null || skip "there is no command $c"; done
}

requires_root() {
	[ "$(id -u)" = 0 ] || skip "this needs root"
}

# as_nobody: where we are root, the test goes on as somebody without privilege.
as_nobody() {
	[ "$(id -u)" = 0 ] || return 0
	requires setpriv
	local who="setpriv --reuid=65534 --regid=65534 --clear-groups"
	$who test -x "$SLUICE" -a -r "$0" || skip "others may not run the binary"
	export TMPDIR=$tmp
	chmod 1777 "$tmp"
	$who bash "$0" "$@" && exit 0 || exit $?
}

long() {
	[ "${TEST_LONG:-0}" = 1 ]
}

# run CODE CMD ARG...: the command must exit with CODE. Its output is in ./out and ./err.
run() {
	local want=$1 rc=0
	shift
	"$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	[ $rc -eq "$want" ] && return 0
	echo "${BASH_SOURCE[1]##*/}:${BASH_LINENO[0]}: exit $rc instead of $want: $*" >&2
	sed 's/^/  stderr: /' "$tmp/err" | head -20 >&2
	exit 1
}

# sentence: what the last run wrote to stderr is exactly one line.
sentence() {
	[ "$(wc -l <"$tmp/err")" = 1 ] && [ -s "$tmp/err" ] && return 0
	echo "${BASH_SOURCE[1]##*/}:${BASH_LINENO[0]}: stderr is not one sentence:" >&2
	sed 's/^/  stderr: /' "$tmp/err" | head -20 >&2
	exit 1
}

# has FILE TEXT: the file contains the text.
has() {
	grep -qF -- "$2" "$1" && return 0
	echo "${BASH_SOURCE[1]##*/}:${BASH_LINENO[0]}: $1 does not contain \"$2\":" >&2
	sed 's/^/  | /' "$1" | head -20 >&2
	exit 1
}

# no_partial DIR: nothing half-made was left behind in DIR.
no_partial() {
	local left
	left=$(find "$1" -maxdepth 1 -name '.*.partial*')
	[ -z "$left" ] || fail "left behind: $left"
}

second_reader() {
	"$python" "$lib/second_reader.py" "$@"
}

mktree() {
	"$python" "$lib/mktree.py" "$@"
}
