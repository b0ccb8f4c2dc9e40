#!/bin/bash
# SPDX-License-Identifier: MIT
# Trees without samples: nothing at all, only directories, only links, only empty files.
. "$(dirname "$0")/../lib/test.sh"

mkdir -p nothing dirs/a/b/c links/x empty
ln -s nowhere links/x/l
: >empty/a
: >empty/b
for t in nothing dirs links empty; do
	for opt in "" "--shards 3" "--codec zstd"; do
		rm -rf p.slu dst before
		run 0 "$SLUICE" pack $t -o p.slu -q $opt
		second_reader -q p.slu
		run 0 "$SLUICE" verify -q p.slu
		run 0 "$SLUICE" info p.slu
		run 0 "$SLUICE" ls -lR p.slu
		run 0 "$SLUICE" unpack p.slu -C dst -q
		mktree --compare $t dst
		cp -r p.slu before
		rm p.slu/index
		run 0 "$SLUICE" verify --rebuild-index -q p.slu
		diff -r before p.slu
	done
done
