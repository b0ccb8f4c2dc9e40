#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the fuzz targets, with the library inside, by clang, whatever the rest is built with.
#   build.sh SOURCE-ROOT OUTPUT-DIR [TARGET...]
set -eu
root=$1
out=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
jpeg=$(pkg-config --libs libjpeg 2>/dev/null || true)
[ $# -gt 0 ] || set -- fuzz-index fuzz-shard fuzz-decode fuzz-trace ${jpeg:+fuzz-jpeg}
cc=${FUZZ_CC:-clang}
work=$out/fuzz-library
sanitize=address,undefined

# One at a time: three tests may want them at once.
exec 9>"$out/fuzz-lock"
flock 9

# Every undefined behaviour stops; frames stay readable.
args="-fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
if [ ! -e "$work/build.ninja" ]; then
	env -u CFLAGS CC="$cc" meson setup "$work" "$root" --buildtype=debugoptimized -Dc_args="$args" \
		-Db_sanitize=$sanitize -Db_lundef=false >"$out/fuzz-setup.log" || { cat "$out/fuzz-setup.log"; exit 1; }
fi
library=src/libsluice-internal.a
prof=src/prof/libsluice-prof.a
ninja -C "$work" --quiet $library $prof
cjson=$(pkg-config --libs 'libcjson >= 1.7.13' 2>/dev/null || true)
for t; do
	[ "$out/$t" -nt "$work/$library" ] && [ "$out/$t" -nt "$work/$prof" ] && [ "$out/$t" -nt "$root/tests/fuzz/$t.c" ] &&
		[ "$out/$t" -nt "$root/tests/fuzz/fix.h" ] && [ "$out/$t" -nt "$root/tests/fuzz/walk.h" ] && continue
	extra=
	libs=
	[ "$t" != fuzz-trace ] || { extra=$work/$prof && libs=$cjson; }
	$cc -std=gnu11 -O1 -g -Wall -Wextra $args -fsanitize=fuzzer,$sanitize -D_GNU_SOURCE -pthread -I"$root/include" \
		-I"$root/src" -o "$out/$t" "$root/tests/fuzz/$t.c" $extra "$work/$library" -lzstd -llz4 -lxxhash $jpeg $libs -lm
done
