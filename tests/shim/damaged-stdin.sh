#!/bin/bash
# SPDX-License-Identifier: MIT
# A damaged file behind a redirection is an error and gives no byte, whoever reads it: never an empty file, never memory
# of the process that opened it.
. "$(dirname "$0")/common.sh"
pack_small
"$python" - tree/big p.slu p.slu/* <<'P' || skip "the big file is not stored as it is"
import os, sys
part = open(sys.argv[1], "rb").read()[1000000:1000064]
for name in filter(os.path.isfile, sys.argv[2:]):
    data = open(name, "rb").read()
    at = data.find(part)
    if at >= 0:
        with open(name, "r+b") as f:
            f.seek(at)
            f.write(bytes([data[at] ^ 1]))
        sys.exit(0)
sys.exit(1)
P
# says CMD...: it fails, says so, and prints nothing.
says() {
	preload "$tmp/p.slu:/data" "$@" >out 2>err && fail "$*: it succeeded: $(head -c 100 out)"
	[ ! -s out ] || fail "$*: it printed $(head -c 100 out)"
	grep -qE 'Input/output error|Bad file descriptor' err || fail "$*: $(head -n 3 err)"
}
says sh -c 'cat </data/big'
says sh -c 'exec cat </data/big'
says sh -c 'tail -c 10 </data/big'
says sh -c 'exec md5sum </data/big'
says bash -c 'exec 0</data/big; exec head -c 10'
says bash -c 'exec 0</data/big; exec env -u LD_PRELOAD cat'
says bash -c 'exec 5</data/big; cat <&5'
says "$python" -c 'import os, subprocess as s; exit(s.run(["cat"], stdin=open("/data/big", "rb")).returncode)'
# at an address of the opener's memory there is nothing either
cat >leak.py <<'P'
import ctypes, os, subprocess, sys
secret = ctypes.create_string_buffer(b"SECRET")
os.dup2(os.open("/data/big", os.O_RDONLY), 0)
code = "import os; os.write(1, os.pread(0, 6, %d))" % ctypes.addressof(secret)
sys.exit(subprocess.run([sys.executable, "-c", code]).returncode)
P
preload "$tmp/p.slu:/data" "$python" leak.py >out 2>err || :
[ ! -s out ] || fail "the child read its parent's memory: $(cat out)"
# a sound one beside it is fine
[ "$(preload "$tmp/p.slu:/data" sh -c 'md5sum </data/raw')" = "$(md5sum <tree/raw)" ] || fail "a neighbour is harmed"
