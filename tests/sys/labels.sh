#!/bin/bash
# SPDX-License-Identifier: MIT
# Labels from directories and from CSV files, and what is wrong with bad ones.
. "$(dirname "$0")/../lib/test.sh"

mkdir -p src/{cat,dog}/deep src/ant
for f in cat/1 cat/2 dog/1 dog/deep/2 ant/1; do echo $f >src/$f; done

labels() {
	second_reader "$1" | "$python" -c '
import json, sys
for line in sys.stdin:
    n = json.loads(line)
    if n["kind"] == "sample":
        print(n["path"], n.get("label"), n.get("label_name"))' | sort
}

run 0 "$SLUICE" pack src -o dir.slu --labels dir -q
labels dir.slu >got
cat >want <<'X'
ant/1 0 ant
cat/1 1 cat
cat/2 1 cat
dog/1 2 dog
dog/deep/2 2 dog
X
diff want got
run 0 "$SLUICE" info --json dir.slu
has out '"label_names": 3'
run 0 "$SLUICE" verify --rebuild-index -q dir.slu

# Without labels there is no such column.
run 0 "$SLUICE" pack src -o none.slu -q
labels none.slu | grep -q None

# Integers.
printf 'cat/1,7\ncat/2,-3\ndog/1,7\ndog/deep/2,1000000000000\nant/1,0\n' >int.csv
run 0 "$SLUICE" pack src -o int.slu --labels int.csv -q
labels int.slu | cut -d' ' -f1,2 >got
printf 'ant/1 0\ncat/1 7\ncat/2 -3\ndog/1 7\ndog/deep/2 1000000000000\n' >want
diff want got
second_reader -q int.slu

# Bad ones: one sentence, exit 2, no pack.
bad() {
	run 2 "$SLUICE" pack src -o bad.slu --labels "$1" -q
	sentence
	[ ! -e bad.slu ] || fail "there is a pack"
	no_partial .
}
bad missing.csv
printf 'cat/1,7\n' >few.csv
bad few.csv
printf 'cat/1,7\ncat/2,-3\ndog/1,7\ndog/deep/2,1\nant/1,0\nbee/1,1\n' >extra.csv
"$SLUICE" pack src -o extra.slu --labels extra.csv -q 2>err || sentence
printf 'cat/1;7\n' >form.csv
bad form.csv
# A file outside any directory has no class.
echo top >src/top
run 2 "$SLUICE" pack src -o top.slu --labels dir -q
sentence
has err "top is in no directory"
has err "CSV"
