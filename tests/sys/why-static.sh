#!/bin/bash
# SPDX-License-Identifier: MIT
# A static program does not see the packs: sluice run warns, and --why names it, and the paths that it asked for.
. "$(dirname "$0")/../lib/test.sh"
[ "${TEST_SANITIZED:-0}" = 0 ] || [ -n "${SLUICE_SHIM:-}" ] || skip "the shim of this build wants the sanitizer's runtime first"
cc=${CC:-cc}
requires "$cc"

cat >show.c <<-'EOF'
	#include <stdio.h>
	int main(int argc, char **argv)
	{
		FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
		if (!f)
			perror("show");
		return f ? 0 : 3;
	}
EOF
"$cc" -static -o show show.c 2>/dev/null || skip "there is no static libc"
mktree --bare --count 4 --size 200 src
run 0 "$SLUICE" pack src -o p.slu -q

run 3 "$SLUICE" run p.slu:/data/set -- ./show /data/set/class-00/item-00000.bin
has err "warning: './show' is linked statically"
has err "sluice mount"
run 3 "$SLUICE" run -q p.slu:/data/set -- ./show /data/set/class-00/item-00000.bin
! grep -q warning err || fail "-q does not silence the warning"

# As the command itself, and started by another program.
for command in "./show" "sh -c './show \"\$0\"; exit \$?'"; do
	eval "run 3 \"\$SLUICE\" run -q --why --why-json why.json p.slu:/data/set -- $command /data/set/class-00/item-00000.bin"
	has err "programs without a dynamic linker"
	has err "./show"
	"$python" - <<-'EOF'
		import json
		why = json.load(open("why.json"))
		assert any(n["kind"] == "static" and n["path"].endswith("show") for n in why["not_served"]), why
		raw = [n for n in why["not_served"] if n["kind"] == "raw"]
		if why["watched"]:
		    assert [n["path"] for n in raw] == ["/data/set/class-00/item-00000.bin"], why
		    assert raw[0]["program"] == "show" and "not loaded" in raw[0]["detail"], why
	EOF
done

# A relative path is understood from where the program stands.
mkdir -p here
run 3 "$SLUICE" run -q --why "p.slu:here/set" -- sh -c 'cd here && ../show set/class-00/item-00000.bin; exit $?'
if ! grep -q "were not watched" err; then has err "$tmp/here/set/class-00/item-00000.bin: openat"; fi
