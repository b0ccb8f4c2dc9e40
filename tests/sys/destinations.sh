#!/bin/bash
# SPDX-License-Identifier: MIT
# Where a pack may be made, and where not; nothing else is touched on the way.
. "$(dirname "$0")/../lib/test.sh"

mktree --bare --count 6 --size 300 src
mkdir place
ln -s place link
run 0 "$SLUICE" pack src -o place/slash.slu/ -q
run 0 "$SLUICE" pack src -o link/through.slu -q
run 0 "$SLUICE" pack src/ -o ./place//double.slu -q
diff -r place/slash.slu place/through.slu
diff -r place/slash.slu place/double.slu
long=$(printf 'n%.0s' $(seq 250))
"$SLUICE" pack src -o "place/$long" -q 2>err || sentence # no room for ".partial"

mkdir -p full/sub
echo precious >full/sub/file
echo file >file
mkfifo fifo
ln -s nowhere dangling
before=$(find . | sort)
for o in . .. / "" full file fifo dangling link nowhere/x.slu file/x.slu src/inside.slu src/class-00/inside.slu; do
	for force in "" --force; do
		run 2 "$SLUICE" pack src -o "$o" -q $force
		sentence
	done
done
[ "$before" = "$(find . | sort)" ] || fail "something changed: $(find . | sort | diff - <(echo "$before"))"
[ "$(cat full/sub/file file)" = "$(printf 'precious\nfile')" ]

# A pack with somebody's own file in it is not replaced.
run 0 "$SLUICE" pack src -o own.slu -q
echo mine >own.slu/mine
run 2 "$SLUICE" pack src -o own.slu -q --force
sentence
[ "$(cat own.slu/mine)" = mine ]
no_partial .
