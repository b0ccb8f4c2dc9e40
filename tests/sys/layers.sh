#!/bin/bash
# SPDX-License-Identifier: MIT
# No folder includes one that is not below it; and the checker sees one that does.
. "$(dirname "$0")/../lib/test.sh"
root=$(cd "$lib/../.." && pwd)

run 0 "$python" "$root/tools/check-layers"
mkdir -p t/src/base t/src/cli t/src/fuse t/src/nowhere t/include/sluice t/python
bad() {
	run 1 "$python" "$root/tools/check-layers" t
	has err "$1"
	find t -name '*.[ch]' -delete
}
echo '#include "pack/tree.h"' >t/src/base/x.c
bad 'src/base/x.c:1:'
printf '\n#include "cli/x.h"\n' >t/src/fuse/x.c
bad 'src/fuse/x.c:2:'
printf '\n#include "shim/x.h"\n' >t/src/fuse/x.c
bad 'src/fuse/x.c:2:'
echo >t/src/nowhere/x.c
bad 'src/nowhere/x.c:1:'
echo '#include "base/err.h"' >t/include/sluice/x.h
bad 'include/sluice/x.h:1:'
echo '#include "pack/pack.h"' >t/python/m.c
bad 'python/m.c:1:'
echo '#include "base/err.h"' >t/src/cli/x.c
echo '#include <sluice/pack.h>' >t/python/m.c
run 0 "$python" "$root/tools/check-layers" t
