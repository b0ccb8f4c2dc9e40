#!/bin/bash
# SPDX-License-Identifier: MIT
# Damage under a mount: EIO for the files it is in, the truth for all others, one line for whoever looks; the
# server lives.
. "$(dirname "$0")/../lib/test.sh"
. "$lib/mount.sh"

mkdir src
"$python" - <<'PY'
import random
r = random.Random(3)
for i in range(40):
    open("src/s%02d" % i, "wb").write(r.randbytes(3000 + i))
open("src/z-large", "wb").write(r.randbytes((3 << 20) + 7))
PY
run 0 "$SLUICE" pack src -o p.slu --codec none -q
where() {
	"$python" - "$1" <<'PY'
import sys
shard, wanted = open("p.slu/shard-00000", "rb").read(), open("src/" + sys.argv[1], "rb").read()
print(shard.index(wanted))
PY
}
flip() { # OFFSET
	"$python" - "$1" <<'PY'
import sys
with open("p.slu/shard-00000", "r+b") as f:
    f.seek(int(sys.argv[1]))
    b = f.read(1)
    f.seek(int(sys.argv[1]))
    f.write(bytes([b[0] ^ 1]))
PY
}

serve p.slu m
flip $(($(where s07) + 1000))
flip $(($(where z-large) + 1000000))
for i in 1 2 3; do
	run 1 cat m/s07
	has err 'Input/output error'
done
run 1 cat m/z-large
has err 'Input/output error'
for f in src/s*; do
	[ "$f" = src/s07 ] || cmp "$f" "m/${f#src/}"
done
has m.err 's07'
has m.err 'checksum'
[ "$(wc -l <m.err)" -le 4 ] || fail "the server talks too much: $(wc -l <m.err) lines"
kill -0 "$server"
run 0 "$SLUICE" umount m
wait "$server"

# What was mended is good again on a new mount; a large file that is damaged under way is not.
git_back=$(where s08)
flip "$git_back"
flip "$git_back"
flip $(($("$python" -c 'print(open("p.slu/shard-00000","rb").read().index(open("src/s07","rb").read()[:1000]))') + 1000))
flip $(($("$python" -c 'print(open("p.slu/shard-00000","rb").read().index(open("src/z-large","rb").read()[:1000]))') + 1000000))
serve p.slu m
cmp src/s07 m/s07
head -c 100 m/z-large | cmp - <(head -c 100 src/z-large)
flip $(($(where z-large) + 3000000))
run 1 tail -c 200000 m/z-large
has err 'Input/output error'

# The shard becomes shorter under it: EIO, not SIGBUS.
truncate -s $(($(where s20) + 10)) p.slu/shard-00000
cmp src/s01 m/s01
run 1 cat m/s20
has err 'Input/output error'
run 1 cat m/s30
has err 'Input/output error'
ls -l m >/dev/null
kill -0 "$server"
run 0 "$SLUICE" umount m
wait "$server"
no_servers
