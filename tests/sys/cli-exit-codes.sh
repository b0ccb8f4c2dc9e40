#!/bin/bash
# SPDX-License-Identifier: MIT
# Exit codes and words of all commands: 0 done, 1 damaged, 2 trouble; errors are one line on stderr.
. "$(dirname "$0")/../lib/test.sh"

mktree --bare --count 6 --size 300 src
run 0 "$SLUICE" pack src -o p.slu
has out "6 files"
run 0 "$SLUICE" pack src -o q.slu -q
[ ! -s out ] && [ ! -s err ] || fail "-q is not quiet"

for c in pack info ls cat verify unpack run check; do
	run 0 "$SLUICE" $c --help
	has out "Example: sluice $c"
	[ ! -s err ]
	run 0 "$SLUICE" help $c
	has out "Example: sluice $c"
	run 2 "$SLUICE" $c --no-such-option
	sentence
	has err "--no-such-option"
	run 2 "$SLUICE" $c
	sentence
done
run 0 "$SLUICE" --version
run 0 "$SLUICE" help
run 0 "$SLUICE" --help
run 2 "$SLUICE"
sentence
run 2 "$SLUICE" no-such-command
sentence

# No such pack; a file; an empty directory; something else that is called index.
mkdir empty bogus
echo hello >file
head -c 5000 /dev/urandom >bogus/index
for c in info ls verify "cat" "unpack"; do
	more=
	[ $c != cat ] || more=x
	[ $c != unpack ] || more="-C dst"
	for p in nowhere file empty; do
		run 2 "$SLUICE" $c $p $more
		sentence
		has err $p
	done
	run 1 "$SLUICE" $c bogus $more
	if [ $c = verify ]; then has out damaged; else sentence; fi
done

# An existing pack is not replaced, unless one says so; nor is anything else.
cp -r p.slu before
run 2 "$SLUICE" pack src -o p.slu -q
sentence
has err "--force"
diff -r before p.slu
run 0 "$SLUICE" pack src -o p.slu -q --force
diff -r before p.slu
run 2 "$SLUICE" pack src -o file -q
sentence
[ "$(cat file)" = hello ]
run 2 "$SLUICE" pack nowhere -o x.slu -q
sentence
has err nowhere
run 2 "$SLUICE" pack file -o x.slu -q
sentence
run 2 "$SLUICE" pack src -o no/such/dir/x.slu -q
sentence
run 2 "$SLUICE" pack src -o x.slu --codec brotli -q
sentence
has err brotli
run 2 "$SLUICE" pack src -o x.slu --shards 0 -q
sentence
run 2 "$SLUICE" pack src -o x.slu -j many -q
sentence
[ ! -e x.slu ]

# cat and ls of what is not there, or is of another kind.
for p in nothing class-00/nothing class-00/item-00000.bin/x ../p.slu; do
	run 2 "$SLUICE" cat p.slu $p
	sentence
	[ ! -s out ]
	run 2 "$SLUICE" ls p.slu $p
	sentence
done
run 2 "$SLUICE" cat p.slu class-00
sentence
run 0 "$SLUICE" cat p.slu ./class-00//item-00000.bin /class-00/item-00000.bin
cat src/class-00/item-00000.bin src/class-00/item-00000.bin | cmp - out

# Unpacking where files are: refused, then forced; other files stay.
run 0 "$SLUICE" unpack p.slu -C dst -q
echo mine >dst/mine
run 2 "$SLUICE" unpack p.slu -C dst -q
sentence
run 0 "$SLUICE" unpack p.slu -C dst -q --force
[ "$(cat dst/mine)" = mine ]
rm dst/mine
touch -r src dst
mktree --compare src dst
run 0 "$SLUICE" unpack p.slu -C part -q class-00/item-00000.bin class-01
[ "$(cd part && find . -type f | sort | tr '\n' ' ')" = "./class-00/item-00000.bin ./class-01/item-00001.json " ] ||
	fail "$(cd part && find .)"
run 2 "$SLUICE" unpack p.slu -C part2 -q nothing
sentence

# Damage: exit 1 everywhere it is met.
printf '\xff' | dd of=p.slu/shard-00000 bs=1 seek=4100 conv=notrunc status=none
run 1 "$SLUICE" verify p.slu
has out shard-00000
has out damaged
run 1 "$SLUICE" verify -q p.slu
[ ! -s out ]
run 1 "$SLUICE" verify --json p.slu
has out '"sound": false'
run 1 "$SLUICE" unpack p.slu -C dst2 -q
sentence
run 0 "$SLUICE" ls p.slu
rm q.slu/shard-00000
run 2 "$SLUICE" verify -q q.slu
sentence
