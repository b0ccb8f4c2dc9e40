#!/bin/bash
# SPDX-License-Identifier: MIT
# sluice run --why: the report counts what was served, over all processes of the run, and names what was read elsewhere.
. "$(dirname "$0")/../lib/test.sh"
[ "${TEST_SANITIZED:-0}" = 0 ] || [ -n "${SLUICE_SHIM:-}" ] || skip "the shim of this build wants the sanitizer's runtime first"

mktree --bare --count 6 --size 300 src
mkdir -p plain/val
for i in 1 2 3; do echo $i >plain/val/$i; done
run 0 "$SLUICE" pack src -o p.slu -q
run 0 "$SLUICE" run --why --why-json why.json -v p.slu:/data/set -- sh -c '
	cat /data/set/class-00/item-00000.bin /data/set/class-00/item-00000.bin >/dev/null
	cat /data/set/class-01/item-00001.json plain/val/* >/dev/null
	ls /data/set >/dev/null'
[ ! -s out ] || fail "the report is not on stderr only"
has err "2 of 6 files opened"
has err "/data/set/class-00/item-00000.bin"
has err "3 times a file in $tmp/plain/val"
has err "nothing below the mounts was refused"
"$python" - <<-'EOF'
	import json, os
	why = json.load(open("why.json"))
	assert why["schema"] == 1 and why["exit_status"] == 0, why
	m, = why["mounts"]
	size = lambda p: os.path.getsize("src/" + p)
	assert m["files"] == 6 and m["files_opened"] == 2 and m["opens"] == 3 and m["listings"] == 1, m
	assert m["bytes"] == 2 * size("class-00/item-00000.bin") + size("class-01/item-00001.json"), m
	assert m["opened"] == ["/data/set/class-00/item-00000.bin", "/data/set/class-01/item-00001.json"], m
	assert why["not_served"] == [] and why["not_served_lost"] == 0, why
	if why["watched"]:
	    assert {"directory": os.getcwd() + "/plain/val", "opens": 3} in why["outside"], why
EOF

# A write is refused, and told.
"$SLUICE" run --why p.slu:/data/set -- sh -c ': >/data/set/new' 2>err && fail "a write was not refused"
has err "changes refused"
has err "/data/set/new"
