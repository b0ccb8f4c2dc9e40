#!/bin/bash
# SPDX-License-Identifier: MIT
# sluice run: what is wrong with packs, mounts or the command is one sentence and the right exit code, and nothing
# is started before all is well.
. "$(dirname "$0")/../lib/test.sh"

mktree --bare --count 4 --size 200 src
run 0 "$SLUICE" pack src -o p.slu -q
mkdir empty bogus
head -c 5000 /dev/zero >bogus/index
echo hello >file

# refused WORD OPERAND...: exit 2, one sentence with WORD, and the command did not run.
refused() {
	local word=$1
	shift
	run 2 "$SLUICE" run "$@"
	sentence
	has err "$word"
	[ ! -s out ] || fail "the command was run"
}

refused nowhere.slu nowhere.slu:/data -- echo ran
refused "/file" file:/data -- echo ran
refused empty empty:/data -- echo ran
refused index bogus:/data -- echo ran # not a pack, or damaged: not 1, which would be the program's
refused "PACK:DIRECTORY" p.slu -- echo ran
refused "PACK:DIRECTORY" p.slu:/data q.slu -- echo ran
refused "PACK:DIRECTORY" :/data -- echo ran
refused "PACK:DIRECTORY" p.slu: -- echo ran
refused "root directory" p.slu:/ -- echo ran
refused "root directory" p.slu:/data/.. -- echo ran
cp -r p.slu q.slu
refused "two packs for '/data'" p.slu:/data q.slu:/data/ -- echo ran
refused "no command" p.slu:/data
refused "no command" p.slu:/data --
refused "PACK:DIRECTORY" -- echo ran
refused "did you mean 'p.slu:/data'" /data:p.slu -- echo ran
refused "did you mean 'p.slu:empty'" empty:p.slu -- echo ran
refused "did you mean '$tmp/p.slu:file'" "file:$tmp/p.slu" -- echo ran
refused "'$tmp/file': it is not a directory" p.slu:file -- echo ran
refused "'$tmp/file/x': it lies below a file" p.slu:file/x -- echo ran
ln -s file link
refused "not a directory" p.slu:link -- echo ran
HOME='' refused HOME p.slu:~/data -- echo ran
run 2 env SLUICE_SHIM=/nowhere/shim.so "$SLUICE" run p.slu:/data -- echo ran
sentence
has err SLUICE_SHIM

run 127 "$SLUICE" run p.slu:/data -- no-such-command-here
sentence
has err no-such-command-here
run 127 "$SLUICE" run --why p.slu:/data -- ./no-such-command-here
sentence
run 126 "$SLUICE" run p.slu:/data -- ./file
sentence
has err ./file
run 126 "$SLUICE" run p.slu:/data -- ./empty
sentence

# More mounts than there is room for.
many=$(for i in $(seq 40); do echo "p.slu:/data/$i"; done)
# shellcheck disable=SC2086 # a list
refused "mounts" $many -- echo ran
