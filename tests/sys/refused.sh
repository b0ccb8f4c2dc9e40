#!/bin/bash
# SPDX-License-Identifier: MIT
# What a pack cannot hold is refused by the writer, with a sentence, and never found out by a reader.
. "$(dirname "$0")/../lib/test.sh"

# Names of labels that are too long together.
mkdir many
for i in $(seq 70); do echo "$i" >"many/$i"; done
"$python" -c '
with open("labels.csv", "w") as f:
    for i in range(1, 71):
        f.write("%d,%d%s\n" % (i, i, "x" * 1000000))'
run 2 "$SLUICE" pack many -o p.slu --labels labels.csv -q
sentence
has err 'names of the labels'
no_partial .

# A path longer than 4095 bytes, of a file and of a link.
name=$(printf 'n%.0s' $(seq 250))
for kind in file link; do
	rm -rf deep
	"$python" - "$name" "$kind" <<'EOF'
import os, sys
name, kind = sys.argv[1:]
os.mkdir("deep")
os.chdir("deep")
for _ in range(16):
    os.mkdir(name)
    os.chdir(name)
if kind == "file":
    open("f" * 200, "w").close()
else:
    os.symlink("x", "f" * 200)
EOF
	run 2 "$SLUICE" pack deep -o p.slu -q
	sentence
	has err 'longer than 4095 bytes'
done

# One codec has one name, however it is spelt: the same pack.
run 0 "$SLUICE" pack many -o a.slu --codec zstd -q
run 0 "$SLUICE" pack many -o b.slu --codec "zstd:$(printf '0%.0s' $(seq 100))3" -q
diff -r a.slu b.slu
for word in zstd:0 zstd:23 zstd: zstd:3x lz5 'auto:speed' ''; do
	run 2 "$SLUICE" pack many -o p.slu --codec "$word" -q
	sentence
done
