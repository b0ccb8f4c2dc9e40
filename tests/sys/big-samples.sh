#!/bin/bash
# SPDX-License-Identifier: MIT
# Samples of 0 bytes, 58 MiB, and more than 2^32 bytes come back as they were.
#   big-samples.sh [CODEC]
. "$(dirname "$0")/../lib/test.sh"
codec=${1:-auto}

mkdir src
: >src/nothing
"$python" - <<'PY'
import os, random
r = random.Random(1)
with open("src/58M", "wb") as f:
    for _ in range(58):
        f.write(r.randbytes(1 << 19) + b"abcd" * (1 << 17))
with open("src/huge", "wb") as f:
    f.truncate((4 << 30) + 5)
    f.seek((2 << 30) - 3)
    f.write(b"middle")
    f.seek((4 << 30))
    f.write(b"end!!")
PY
if [ "$codec" != none ] && ! long; then rm src/huge; fi
run 0 "$SLUICE" pack src -o p.slu --codec "$codec" -q
run 0 "$SLUICE" verify -q p.slu
[ "$("$SLUICE" cat p.slu nothing | wc -c)" = 0 ]
"$SLUICE" cat p.slu 58M | cmp - src/58M
if [ -e src/huge ]; then
	"$SLUICE" cat p.slu huge | cmp - src/huge
	run 0 "$SLUICE" unpack p.slu -C dst -q huge
	[ "$(stat -c %s dst/huge)" = $(((4 << 30) + 5)) ]
	[ "$(tail -c 5 dst/huge)" = 'end!!' ]
fi
