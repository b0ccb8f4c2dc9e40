#!/bin/bash
# SPDX-License-Identifier: MIT
# A full disk, in bytes or in inodes: one sentence, exit 2, and the room is given back.
. "$(dirname "$0")/../lib/test.sh"
requires_root
requires mount umount

mkdir small
mount -t tmpfs -o size=2m,nr_inodes=40 none small 2>err || skip "cannot mount: $(cat err)"
cleanup umount "$tmp/small"
mktree --bare --count 80 --size 100000 src
room=$(df --output=avail small | tail -1)

for codec in none zstd; do
	run 2 "$SLUICE" pack src -o small/p.slu --codec $codec -q
	sentence
	has err "No space left"
	[ -z "$(ls -A small)" ] || fail "left behind: $(ls -A small)"
	[ "$(df --output=avail small | tail -1)" = "$room" ] || fail "the room did not come back"
done

# An old pack stays when there is no room for the new one.
mktree --bare --count 5 --size 100 old
run 0 "$SLUICE" pack old -o small/p.slu -q
cp -r small/p.slu old.slu
run 2 "$SLUICE" pack src -o small/p.slu --force -q
sentence
diff -r old.slu small/p.slu
rm -r small/p.slu

# Unpacking: the same sentence.
run 0 "$SLUICE" pack src -o p.slu -q
run 2 "$SLUICE" unpack p.slu -C small/dst -q
sentence
has err "No space left"
rm -r small/*

# Inodes: 40 are too few for 300 files.
mktree --bare --count 300 --size 10 many
run 0 "$SLUICE" pack many -o many.slu -q
run 2 "$SLUICE" unpack many.slu -C small/dst -q
sentence
has err "No space left"

# A rebuilt index that finds no room leaves the old one.
rm -r small/*
run 0 "$SLUICE" pack many -o small/m.slu -q
cp small/m.slu/index index
head -c 4000000 /dev/zero >small/fill 2>/dev/null || :
run 2 "$SLUICE" verify --rebuild-index -q small/m.slu
sentence
cmp index small/m.slu/index
[ "$(ls -A small/m.slu | tr '\n' ' ')" = "index shard-00000 " ] || fail "left behind: $(ls -A small/m.slu)"
