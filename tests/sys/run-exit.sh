#!/bin/bash
# SPDX-License-Identifier: MIT
# sluice run becomes the program: exit codes, signals, streams and SIGPIPE are the program's own; with --why too.
. "$(dirname "$0")/../lib/test.sh"
[ "${TEST_SANITIZED:-0}" = 0 ] || [ -n "${SLUICE_SHIM:-}" ] || skip "the shim of this build wants the sanitizer's runtime first"

mktree --bare --count 4 --size 200 src
run 0 "$SLUICE" pack src -o p.slu -q
for why in "" "--why" "--why-json why.json"; do
	for code in 0 1 2 3 126 127 130 137 255; do
		# shellcheck disable=SC2086 # none, one or two words
		run $code "$SLUICE" run $why p.slu:/data -- sh -c "echo out; exit $code"
		[ "$(cat out)" = out ] || fail "the program's output is not its own"
	done
	for signal in TERM KILL SEGV INT; do
		# A shell must see the signal, not a code that looks like it.
		# shellcheck disable=SC2086
		"$python" - "$signal" "$SLUICE" run $why p.slu:/data -- sh -c "ulimit -c 0; kill -$signal \$\$" <<-'EOF' 2>/dev/null
			import signal, subprocess, sys
			code = subprocess.run(sys.argv[2:]).returncode
			assert code == -getattr(signal, "SIG" + sys.argv[1]), code
		EOF
	done
	# Nor the other way round.
	# shellcheck disable=SC2086
	"$python" - "$SLUICE" run $why p.slu:/data -- sh -c 'exit 137' <<-'EOF' 2>/dev/null
		import subprocess, sys
		code = subprocess.run(sys.argv[1:]).returncode
		assert code == 137, code
	EOF
	# shellcheck disable=SC2086
	[ "$(echo text | "$SLUICE" run $why p.slu:/data -- cat 2>err)" = text ] || fail "stdin is not the program's"
	# `yes` ends by SIGPIPE and says nothing; it would complain if the signal were ignored.
	# shellcheck disable=SC2086
	"$SLUICE" run $why p.slu:/data -- yes 2>err | head -n 1 >out
	! grep -q yes err || fail "SIGPIPE is ignored: $(cat err)"
done

# A signal that is sent to sluice alone reaches the program.
"$SLUICE" run --why p.slu:/data -- sh -c 'trap "echo caught; exit 7" TERM; echo ready; while :; do sleep 0.1; done' >out 2>err &
pid=$!
for _ in $(seq 100); do grep -q ready out && break || sleep 0.05; done
kill -TERM $pid
rc=0
wait $pid || rc=$?
[ $rc = 7 ] && grep -q caught out || fail "exit $rc: SIGTERM was not passed on"

# Nothing stays behind.
mkdir t
TMPDIR=$tmp/t run 0 "$SLUICE" run --why p.slu:/data -- true
[ -z "$(ls t)" ] || fail "left behind: $(ls t)"
