#!/bin/bash
# SPDX-License-Identifier: MIT
# At the limits: too deep, too long, times out of range, few descriptors, many shards.
. "$(dirname "$0")/../lib/test.sh"

"$python" - <<'PY'
import os
top = os.getcwd()


def chain(name, levels, leaf=True):
    os.chdir(top)
    for _ in range(levels):
        os.mkdir(name)
        os.chdir(name)
    if leaf:
        open("leaf", "w").close()
    os.chdir(top)


os.mkdir("deep"); os.mkdir("fits"); os.mkdir("long"); os.mkdir("fits-long")
for where, name, levels in (("deep", "d", 256), ("fits", "d", 255), ("long", "n" * 250, 17), ("fits-long", "n" * 250, 16)):
    os.chdir(where)
    top, old = os.getcwd(), top
    chain(name, levels)
    top = old
    os.chdir(top)
PY
run 2 "$SLUICE" pack deep -o deep.slu -q
sentence
run 2 "$SLUICE" pack long -o long.slu -q
sentence
for t in fits fits-long; do
	run 0 "$SLUICE" pack $t -o $t.slu -q
	second_reader -q $t.slu
	run 0 "$SLUICE" verify -q $t.slu
	run 0 "$SLUICE" ls -R $t.slu
	run 0 "$SLUICE" unpack $t.slu -C $t.out -q
	[ "$(find $t.out -name leaf | wc -l)" = 1 ]
done

# Many long paths that are alike: a catalog that compresses a thousand to one is no bomb.
"$python" - <<'PY'
import os
os.mkdir("alike")
fd = os.open("alike", os.O_RDONLY)
for _ in range(15):
    os.mkdir("n" * 255, dir_fd=fd)
    fd = os.open("n" * 255, os.O_RDONLY, dir_fd=fd)
for i in range(20000):
    os.mkdir("%07d" % i, dir_fd=fd)
    os.utime("%07d" % i, (1, 1), dir_fd=fd)  # times do not compress
PY
run 0 "$SLUICE" pack alike -o alike.slu -q
run 0 "$SLUICE" verify -q alike.slu
cp alike.slu/index index
rm alike.slu/index
run 0 "$SLUICE" verify -q --rebuild-index alike.slu
cmp index alike.slu/index
second_reader -q alike.slu
rm -r alike

# Times that 64 bits of nanoseconds cannot hold are the nearest that they can.
mkdir times
echo x >times/f
for when in 1500-01-01 2600-01-01; do
	touch -d $when times/f
	rm -rf t.slu
	run 0 "$SLUICE" pack times -o t.slu -q
	second_reader -q t.slu
	run 0 "$SLUICE" unpack t.slu -C out.$when -q
done

# Sixteen descriptors are enough, whatever the number of shards.
mktree --bare --count 300 --size 300 many
run 0 "$SLUICE" pack many -o want.slu --shards 200 -q
[ "$(ls want.slu | wc -l)" = 201 ]
(
	ulimit -n 16
	run 0 "$SLUICE" pack many -o many.slu --shards 200 -q
	run 0 "$SLUICE" verify -q many.slu
	run 0 "$SLUICE" unpack many.slu -C many.out -q
	run 0 "$SLUICE" cat many.slu $(cd many && echo */*)
)
diff -r want.slu many.slu
mktree --compare many many.out
cat many/*/* | cmp - out
