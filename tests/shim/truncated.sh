#!/bin/bash
# SPDX-License-Identifier: MIT
# The shard is truncated while a program reads: EIO, never SIGBUS; also where the program has a SIGBUS handler of its
# own (which still gets its own faults), and under Python's faulthandler.
. "$(dirname "$0")/common.sh"
pack_small good.slu
compile t "$here/truncated.c"

during() { # during WHAT CMD...: runs it, truncates every shard when it says "ready"
	local what=$1
	shift
	rm -rf p.slu && cp -r good.slu p.slu
	: >out
	LD_PRELOAD=$shim SLUICE_MOUNTS="$tmp/p.slu:/data" timeout 60 "$@" >out 2>err &
	local pid=$!
	for _ in $(seq 200); do
		grep -q ready out && break
		sleep 0.05
	done
	grep -q ready out || fail "$what: it was never ready: $(cat out err)"
	find p.slu -type f -size +400k -exec truncate -s 100K {} \; # the shard
	wait $pid && rc=0 || rc=$?
	[ $rc = 0 ] || fail "$what: exit $rc: $(tail -n 3 out err)"
	grep -q EIO out || fail "$what: no EIO: $(cat out)"
	grep -qi 'fatal\|bus error' err && fail "$what: $(cat err)"
	return 0
}
during plain ./t /data none
during "own handler" ./t /data own
cat >t.py <<'P'
import errno, faulthandler, sys, time
faulthandler.enable()
print("ready", flush=True)
bad = 0
for i in range(3000):
    for n in ("big", "raw", "text"):
        try:
            open("/data/" + n, "rb").read()
        except OSError as e:
            assert e.errno == errno.EIO, e
            bad += 1
    if bad > 20:
        break
    time.sleep(0.002)
print("EIO" if bad else "none")
P
during faulthandler "$python" t.py
during "faulthandler by option" "$python" -X faulthandler t.py
