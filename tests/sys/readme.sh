#!/bin/bash
# SPDX-License-Identifier: MIT
# What README.md shows works: its quick start, its Python program, and its C program against an installed library.
. "$(dirname "$0")/../lib/test.sh"
requires cc pkg-config meson
readme=$lib/../../README.md
build=$(dirname "$SLUICE")

# block LANGUAGE: the lines of all fenced blocks of that language.
block() {
	awk -v start="\`\`\`$1" -v end="\`\`\`" '$0 == end { inside = 0 } inside; $0 == start { inside = 1 }' "$readme"
}

mkdir -p data/airplane data/truck bin
"$python" - <<'EOF'
for kind in ("airplane", "truck"):
    for i in range(40):
        with open("data/%s/%04d.jpg" % (kind, i), "wb") as f:
            f.write(b"\xff\xd8\xff\xe0 header that all share " * 9 + bytes([i]) * (100 + i))
EOF
ln -s "$SLUICE" bin/sluice
block sh >quick.sh
[ "$(wc -l <quick.sh)" -ge 12 ] || fail "the quick start is gone from README.md"
if ! { [ -r /dev/fuse ] && [ -w /dev/fuse ]; } || ! "$SLUICE" --version | grep -q '^fuse'; then
	echo "without the mount: FUSE cannot be used here"
	sed -i '/view/d' quick.sh
fi
# A sanitized shim wants the sanitizer's library before it.
[ "${TEST_SANITIZED:-0}" = 0 ] || sed -i -E '/sluice (run|trace|report)/d' quick.sh
PATH=$tmp/bin:$PATH run 0 bash -eu quick.sh
has out 'samples        80'
has out 'sound'
diff -r data again || fail "unpacked is not what was packed"

if [ "${TEST_SANITIZED:-0}" = 0 ] && [ -d "$build/python/sluice" ]; then
	block python >loader.py
	PYTHONPATH=$build/python run 0 "$python" loader.py
	has out '80 samples; airplane/0000.jpg has'
fi

[ "${TEST_SANITIZED:-0}" = 0 ] || exit 0 # a plain compiler cannot link against a sanitized library
DESTDIR=$tmp/root meson install -C "$build" --no-rebuild --quiet >install.log 2>&1 || fail "install: $(cat install.log)"
pc=$(find root -name sluice.pc)
[ -n "$pc" ] || fail "no sluice.pc was installed"
export PKG_CONFIG_SYSROOT_DIR=$tmp/root PKG_CONFIG_PATH=$tmp/$(dirname "$pc")
block c >example.c
# shellcheck disable=SC2046 # options
cc -Wall -Werror example.c $(pkg-config --cflags --libs sluice) -o example
LD_LIBRARY_PATH=$(dirname "$(find "$tmp/root" -name 'libsluice.so.0*' -print -quit)") run 0 ./example train.slu
has out '80 samples'
for page in sluice-run.1 sluice-check.1 sluice-mount.1 sluice-umount.1 sluice-shim.7 sluice.1 sluice-pack.1 sluice-info.1 sluice-ls.1 sluice-cat.1 sluice-verify.1 sluice-unpack.1 libsluice.3 sluice-format.5; do
	[ -n "$(find root -name "$page*")" ] || fail "$page is not installed"
done
