#!/bin/bash
# SPDX-License-Identifier: MIT
# sluice run --why: a system call instruction in the program itself, which the shim cannot see, is named; what the
# shim serves and what it asks the kernel for itself is not.
. "$(dirname "$0")/../lib/test.sh"
[ "${TEST_SANITIZED:-0}" = 0 ] || [ -n "${SLUICE_SHIM:-}" ] || skip "the shim of this build wants the sanitizer's runtime first"
cc=${CC:-cc}
requires "$cc"

cat >raw.c <<-'EOF'
	#include <fcntl.h>
	#include <stdio.h>
	#include <sys/syscall.h>
	static long raw_openat(const char *path)
	{
	#if defined(__x86_64__)
		long r;
		__asm__ volatile("syscall"
		                 : "=a"(r)
		                 : "a"(SYS_openat), "D"((long)AT_FDCWD), "S"(path), "d"(0L)
		                 : "rcx", "r11", "memory");
		return r;
	#elif defined(__aarch64__)
		register long x8 __asm__("x8") = SYS_openat, x0 __asm__("x0") = AT_FDCWD, x1 __asm__("x1") = (long)path,
		                x2 __asm__("x2") = 0;
		__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
		return x0;
	#else
	#error no system call instruction for this machine
	#endif
	}
	int main(int argc, char **argv)
	{
		FILE *f = fopen(argv[1], "r");
		printf("%s %s\n", f ? "served" : "missing", raw_openat(argv[2]) < 0 ? "refused" : "opened");
		return argc != 3;
	}
EOF
"$cc" -o raw raw.c 2>/dev/null || skip "no system call instruction for this machine is known"
mktree --bare --count 4 --size 200 src
run 0 "$SLUICE" pack src -o p.slu -q
run 0 "$SLUICE" run --why --why-json why.json p.slu:/data/set -- \
	./raw /data/set/class-00/item-00000.bin /data/set/class-01/item-00001.json
! grep -q "were not watched" err || skip "$(grep 'were not watched' err)"
[ "$(cat out)" = "served refused" ] || fail "$(cat out)"
has err "/data/set/class-01/item-00001.json: openat by a system call instruction of its own"
! grep -q "item-00000.bin:" err || fail "a file that was served is told as missed: $(cat err)"
"$python" - <<-'EOF'
	import json
	why = json.load(open("why.json"))
	note, = why["not_served"]
	assert note["kind"] == "raw" and note["program"] == "raw" and note["path"].endswith("item-00001.json"), note
EOF

# Where it is not wanted, nothing is watched, and the report says so.
run 0 "$SLUICE" run --why --no-watch p.slu:/data/set -- \
	./raw /data/set/class-00/item-00000.bin /data/set/class-01/item-00001.json
has err "were not watched: --no-watch"
has err "1 of 4 files opened"

# Programs that go on in the background are still answered after the report.
run 0 "$SLUICE" run --why p.slu:/data/set -- sh -c '
	(sleep 0.5; cat /data/set/class-00/item-00000.bin >late.part && mv late.part late) >/dev/null 2>&1 &'
has err "in the background"
for _ in $(seq 100); do [ ! -e late ] || break; sleep 0.1; done
cmp late src/class-00/item-00000.bin
