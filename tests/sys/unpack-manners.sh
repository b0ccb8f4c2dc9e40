#!/bin/bash
# SPDX-License-Identifier: MIT
# unpack and pack --force leave alone what is not theirs.
. "$(dirname "$0")/../lib/test.sh"

mkdir -p src/a/b
echo one >src/a/b/file
chmod 2775 src/a
chmod 755 src/a/b
run 0 "$SLUICE" pack src -o p.slu -q

# A destination that was there keeps its mode and time.
mkdir -m 1777 there
touch -d @1000000000 there
run 0 "$SLUICE" unpack p.slu -C there -q
[ "$(stat -c %a there)" = 1777 ] || fail "the destination's mode is $(stat -c %a there)"
# Set-gid directories come back; directories on the way to a path have their own modes.
[ "$(stat -c %a there/a)" = 2775 ] || fail "a set-gid directory came back as $(stat -c %a there/a)"
run 0 "$SLUICE" unpack p.slu -C part a/b -q
[ "$(stat -c %a part/a)" = 2775 ] || fail "the way to a path has mode $(stat -c %a part/a)"

# A directory in the way of a file is told as what it is.
mkdir -p block/a/b/file
run 2 "$SLUICE" unpack p.slu -C block --force -q
has err 'directory'

# What only looks like a pack by its names is not replaced; an empty directory and a pack are.
mkdir precious
echo mine >precious/index
echo mine >precious/shard-7
run 2 "$SLUICE" pack src -o precious --force -q
sentence
grep -q mine precious/index || fail "a file of the user's is gone"
mkdir empty
run 0 "$SLUICE" pack src -o empty --force -q
run 0 "$SLUICE" pack src -o empty --force -q
run 0 "$SLUICE" verify empty -q

# A lost index: the message says what helps; a sample's error names its path.
rm empty/index
run 2 "$SLUICE" info empty
has err '--rebuild-index'
printf X | dd of=p.slu/shard-00000 bs=1 seek=4096 conv=notrunc status=none
run 1 "$SLUICE" cat p.slu a/b/file
has err 'a/b/file'
