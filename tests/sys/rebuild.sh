#!/bin/bash
# SPDX-License-Identifier: MIT
# A lost or damaged index comes back byte for byte from the shards.
#   rebuild.sh [PACK-OPTION...]
. "$(dirname "$0")/../lib/test.sh"

mktree --count 200 src
case "$*" in *"--labels dir"*) rm -f src/empty-file src/one ;; esac # labels need a directory
run 0 "$SLUICE" pack src -o p.slu -q "$@"
cp -r p.slu before.slu

rm p.slu/index
run 2 "$SLUICE" info p.slu
sentence
run 0 "$SLUICE" verify --rebuild-index -q p.slu
diff -r before.slu p.slu

# Over a damaged one too, and over a sound one.
printf 'x' | dd of=p.slu/index bs=1 seek=5000 conv=notrunc status=none
run 0 "$SLUICE" verify --rebuild-index -q p.slu
diff -r before.slu p.slu
run 0 "$SLUICE" verify --rebuild-index -q p.slu
diff -r before.slu p.slu

# Not from shards that are damaged or incomplete; then what is there stays.
last=$(ls p.slu | tail -1)
mv "p.slu/$last" gone
run 2 "$SLUICE" verify --rebuild-index -q p.slu
sentence
cmp before.slu/index p.slu/index
mv gone "p.slu/$last"
size=$(stat -c %s "p.slu/$last")
printf '\xff\xff' | dd of="p.slu/$last" bs=1 seek=$((size - 9)) conv=notrunc status=none
run 1 "$SLUICE" verify --rebuild-index -q p.slu
sentence
cmp before.slu/index p.slu/index
[ "$(ls -A p.slu)" = "$(ls -A before.slu)" ] || fail "something was left behind: $(ls -A p.slu)"
