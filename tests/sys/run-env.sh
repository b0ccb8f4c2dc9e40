#!/bin/bash
# SPDX-License-Identifier: MIT
# sluice run: the environment that carries the view. Other preloaded libraries stay, a sanitizer's stays first; mounts of
# an outer run stay; names with spaces, colons and semicolons get through.
. "$(dirname "$0")/../lib/test.sh"
[ "${TEST_SANITIZED:-0}" = 0 ] || skip "the shim of this build wants the sanitizer's runtime first"

mktree --bare --count 4 --size 200 src
run 0 "$SLUICE" pack src -o p.slu -q
show='printf "%s\n" "$LD_PRELOAD" "$SLUICE_MOUNTS"'
run 0 "$SLUICE" run p.slu:/data -- sh -c "$show"
shim=$(sed -n 1p out)
[ -f "$shim" ] || fail "LD_PRELOAD is '$shim'"
case $shim in /*/libsluice-shim.so) ;; *) fail "LD_PRELOAD is '$shim'" ;; esac
[ "$(sed -n 2p out)" = "$tmp/p.slu:/data" ] || fail "$(cat out)"

# preload OLD NEW: what becomes of LD_PRELOAD. Libraries that are not there are only warned of.
preload() {
	LD_PRELOAD=$1 run 0 "$SLUICE" run p.slu:/data -- sh -c "$show"
	[ "$(sed -n 1p out)" = "$2" ] || fail "LD_PRELOAD '$1' became '$(sed -n 1p out)', not '$2'"
}
preload "/x/liba.so" "$shim:/x/liba.so"
preload "/x/liba.so /x/libb.so" "$shim:/x/liba.so:/x/libb.so"
preload "/x/liba.so:$shim" "$shim:/x/liba.so"
preload "/old/libsluice-shim.so:/x/liba.so" "$shim:/x/liba.so"
preload "::/x/liba.so" "$shim:/x/liba.so"
preload "/x/liba.so:/x/libasan.so.99" "/x/libasan.so.99:$shim:/x/liba.so"

# An outer run's mounts come first; the same mount twice is one.
run 0 "$SLUICE" run p.slu:/data -- "$SLUICE" run p.slu:/more p.slu:/data -- sh -c "$show; ls /data /more"
[ "$(sed -n 1p out)" = "$shim" ] || fail "$(cat out)"
[ "$(sed -n 2p out)" = "$tmp/p.slu:/data;$tmp/p.slu:/more" ] || fail "$(cat out)"
[ "$(grep -c class-00 out)" = 2 ] || fail "$(cat out)"

# Relative names, of the pack and of the directory; without "--".
mkdir sub
cd sub
run 0 "$SLUICE" run ../p.slu:here/../there ls "$tmp/sub/there"
has "$tmp/out" class-00
cd ..

# "~" is the home directory, also behind the colon, where shells leave it; "~x" is a name.
mkdir home
cp -r p.slu home/q.slu
for spec in '~/q.slu:~/data' '~/q.slu:~' p.slu:./~ p.slu:~x; do
	HOME=$tmp/home run 0 "$SLUICE" run "$spec" -- sh -c "$show"
	sed -n 2p out
done >got
printf '%s\n' "$tmp/home/q.slu:$tmp/home/data" "$tmp/home/q.slu:$tmp/home" "$tmp/p.slu:$tmp/~" "$tmp/p.slu:$tmp/~x" >want
diff want got

# Options before, between and behind the packs; those of the command are its own.
run 0 "$SLUICE" run p.slu:/data --why-json why.json p.slu:/more -q -- ls -d /data /more --
grep -q '"schema"' why.json || fail "no report"
[ "$(cat out)" = "/data
/more" ] || fail "$(cat out)"
run 0 "$SLUICE" run -q p.slu:/data --no-watch ls --directory /data
[ "$(cat out)" = /data ] || fail "$(cat out)"
run 0 "$SLUICE" run --why-json -- p.slu:/data -- echo -- -q
[ "$(cat out)" = "-- -q" ] || fail "$(cat out)"
grep -q '"schema"' ./-- || fail "no report"
run 2 "$SLUICE" run p.slu:/data --no-such-option -- ls
grep -q no-such-option err || fail "$(cat err)"

# Names with anything in them.
odd='a b;c:d\e'
cp -r p.slu "$odd.slu"
escaped=$(printf %s "$odd" | sed 's/[;:\\]/\\&/g')
run 0 "$SLUICE" run "$escaped.slu:/mnt/$escaped/x" -- ls "/mnt/$odd/x"
has out class-00
run 0 "$SLUICE" run "$escaped.slu:/mnt/$escaped/x" p.slu:/data -- "$SLUICE" run p.slu:/more -- ls "/mnt/$odd/x" /data /more
[ "$(grep -c class-00 out)" = 3 ] || fail "$(cat out)"
