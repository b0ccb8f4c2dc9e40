# SPDX-License-Identifier: MIT
# What tests of the shim share. Source it first:  . "$(dirname "$0")/common.sh"
#
# Gives what lib/test.sh gives, and: $shim (libsluice-shim.so), $here (this folder), $cc,
# preload, pack_small. Here LD_PRELOAD is set by hand, so that the shim itself is tested and not `sluice run`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) # before test.sh goes elsewhere
. "$here/../lib/test.sh"

shim=${SHIM:-}
cc=${CC:-cc}
[ -f "$shim" ] || skip "SHIM is not the path of libsluice-shim.so"
[ "${TEST_SANITIZED:-0}" = 0 ] || skip "a sanitized shim cannot be preloaded into programs that are not"

# preload MOUNTS CMD ARG...: the command under the shim; $before and $after are other libraries to preload.
before= after=
preload() {
	local mounts=$1
	shift
	env LD_PRELOAD="${before:+$before }$shim${after:+ $after}" SLUICE_MOUNTS="$mounts" "$@"
}

# pack_small [PACK]: a pack of a few files of all kinds; the tree it is made of is ./tree.
pack_small() {
	if [ ! -d tree ]; then
		mkdir -p tree/dir/sub tree/void
		printf 'hello\n' >tree/hello
		head -c 300000 /dev/zero | tr '\0' 'a' >tree/text       # packs well
		head -c 80000 /dev/urandom >tree/raw                    # does not, and is over 64 KiB
		head -c 3000000 /dev/urandom >tree/big
		head -c 500 /dev/urandom >tree/small
		: >tree/empty
		echo inner >tree/dir/inner
		ln -s ../hello tree/dir/link
		ln -s dir tree/to-dir
	fi
	"$SLUICE" pack -q tree -o "${1:-p.slu}"
}

# compile OUT SOURCE [FLAG...]
compile() {
	local out=$1 source=$2
	shift 2
	"$cc" -D_GNU_SOURCE -O1 -g -w -o "$out" "$source" "$@" || skip "no compiler, or not for: $*"
}

# under COUNT CMD...: fails unless the command ends within COUNT seconds.
under() {
	local s=$1
	shift
	timeout "$s" "$@" || fail "exit $? ($s s at most): $*"
}
