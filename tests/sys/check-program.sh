#!/bin/bash
# SPDX-License-Identifier: MIT
# sluice check: names the file functions that the shim does not cover, also of libraries; knows static programs, scripts,
# and what is no program.
. "$(dirname "$0")/../lib/test.sh"
cc=${CC:-cc}
requires "$cc"

cat >plain.c <<-'EOF'
	#include <stdio.h>
	int main(int argc, char **argv)
	{
		FILE *f = fopen(argv[argc - 1], "r");
		return f ? getc(f) : 1;
	}
EOF
cat >lib.c <<-'EOF'
	#define _GNU_SOURCE
	#include <fcntl.h>
	int uncovered(const char *path)
	{
		return name_to_handle_at(AT_FDCWD, path, 0, 0, 0);
	}
EOF
cat >user.c <<-'EOF'
	int uncovered(const char *path);
	int main(int argc, char **argv)
	{
		return uncovered(argv[argc - 1]);
	}
EOF
"$cc" -o plain plain.c
mkdir lib
"$cc" -shared -fPIC -o lib/libodd.so lib.c
"$cc" -o user user.c -Llib -lodd -Wl,--enable-new-dtags,-rpath,'$ORIGIN/lib'
"$cc" -o lost user.c -Llib -lodd

run 0 "$SLUICE" check ./plain
has out "./plain: all "
run 0 "$SLUICE" check -v ./plain
has out fopen
has out "getc"
# The counts are those of the list.
cat >all.c <<-'EOF'
	#include <stdio.h>
	#include <sys/mount.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		FILE *f = fopen(argv[argc - 1], "r");
		return mount("a", "b", "c", 0, 0) + chroot("/") + (f ? getc(f) : 1);
	}
EOF
"$cc" -o all all.c
run 0 "$SLUICE" check -v ./all
has out "not served"
listed=$(($(wc -l <out) - 1)) but=$(grep -c " not served " out)
has out "./all: all $listed file functions"
has out "but for $but that do not read data"
run 0 "$SLUICE" check -v ./plain
has out "./plain: all $(($(wc -l <out) - 1)) file functions"
! grep -q "but for" out || fail "$(head -1 out)"
run 0 "$SLUICE" check -q ./plain
[ ! -s out ]

# What is covered is what the shim exports: here a shim that has next to nothing.
echo 'void *fopen(const char *p, const char *m) { return p == m ? (void *)0 : (void *)0; }' >shim.c
"$cc" -shared -fPIC -fno-builtin -o shim.so shim.c
export SLUICE_SHIM=$tmp/shim.so
run 0 "$SLUICE" check ./plain
run 1 "$SLUICE" check ./user
has out name_to_handle_at
has out lib/libodd.so
run 1 "$SLUICE" check lib/libodd.so
has out name_to_handle_at
echo 'int nothing;' | "$cc" -shared -fPIC -nostdlib -x c -o lib/bare.so -
run 0 "$SLUICE" check lib/bare.so
run 1 env LD_LIBRARY_PATH="$tmp/lib" "$SLUICE" check ./lost
has out name_to_handle_at
run 2 "$SLUICE" check ./lost
has out "libodd.so"
run 1 "$SLUICE" check --json ./plain ./user
"$python" - <<-'EOF'
	import json
	plain, user = json.load(open("out"))["programs"]
	assert plain["covered"] and plain["kind"] == "plain", plain
	assert not user["covered"], user
	gap, = [f for f in user["functions"] if f["state"] == "uncovered"]
	assert gap["name"] == "name_to_handle_at" and gap["users"][0].endswith("lib/libodd.so"), gap
EOF

unset SLUICE_SHIM
# Scripts: it is the interpreter that counts.
printf '#!%s/user -x\n' "$tmp" >direct
printf '#!/usr/bin/env plain\n' >by-env
printf '#!%s/direct\n' "$tmp" >twice
chmod +x direct by-env twice
run 1 env SLUICE_SHIM="$tmp/shim.so" "$SLUICE" check ./direct
has out "a script, run by $tmp/user"
run 1 env SLUICE_SHIM="$tmp/shim.so" "$SLUICE" check ./twice
run 0 env PATH="$tmp:$PATH" "$SLUICE" check ./by-env
has out plain

if "$cc" -static -o static plain.c 2>/dev/null; then
	run 1 "$SLUICE" check ./static
	has out "is linked statically"
	if "$cc" -static-pie -fPIE -o static-pie plain.c 2>/dev/null; then
		run 1 "$SLUICE" check ./static-pie
		has out "is linked statically"
	fi
	has out "sluice mount"
fi

if [ "$(id -u)" = 0 ]; then
	cp plain other
	chown 65534 other
	chmod u+s other
	run 1 "$SLUICE" check ./other
	has out "privileges of its own"
fi
if command -v objcopy >/dev/null; then
	echo id >id
	objcopy --add-section .note.go.buildid=id plain gopher
	chmod +x gopher
	run 1 "$SLUICE" check ./gopher
	has out "is a Go program"
fi

printf 'just text\n' >text
printf '#!/no/such/interpreter\n' >orphan
chmod +x text orphan
for p in ./text ./orphan ./nothing no-such-program-here . /dev/null; do
	run 2 "$SLUICE" check $p
	sentence
done
run 2 env SLUICE_SHIM=/nowhere/shim.so "$SLUICE" check ./plain
sentence
run 2 "$SLUICE" check ./plain ./nothing
has out "./plain: all "
