#!/bin/bash
# SPDX-License-Identifier: MIT
# Every way to change something below a mount is refused, with EROFS, and the pack stays as it is.
. "$(dirname "$0")/../lib/test.sh"
. "$lib/mount.sh"

mkdir -p src/d
echo text >src/d/f
ln -s f src/d/l
run 0 "$SLUICE" pack src -o p.slu -q
sum=$(cat p.slu/* | cksum)
mount_pack p.slu m

refused() {
	run 1 "$@"
	has err 'Read-only file system'
}
refused touch m/d/f
refused touch m/new
refused mkdir m/new
refused rm -f m/d/f
refused rm -f m/d/l
refused rmdir m/d
refused mv m/d/f m/d/g
refused mv -T m/d m/e
refused ln m/d/f m/d/g
refused ln -s f m/d/g
refused truncate -s 0 m/d/f
refused chmod 600 m/d/f
refused mkfifo m/pipe
if [ "$(id -u)" = 0 ]; then
	refused chown 1:1 m/d/f
	refused mknod m/null c 1 3
fi
"$python" - <<'PY'
import errno, os


def refused(f, *a, **k):
    try:
        f(*a, **k)
    except OSError as e:
        assert e.errno == errno.EROFS, (f, a, e)
    else:
        raise SystemExit("%r %r was not refused" % (f, a))


for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_CREAT):
    refused(os.open, "m/d/f", flags)
refused(os.open, "m/d/new", os.O_WRONLY | os.O_CREAT)
refused(os.open, "m/d", os.O_TMPFILE | os.O_RDWR)
refused(os.utime, "m/d/f")
refused(os.setxattr, "m/d/f", "user.a", b"1")
refused(os.removexattr, "m/d/f", "user.a")
os.close(os.open("m/d/f", os.O_RDONLY | os.O_CREAT))      # it is there: nothing to create
assert not os.access("m/d/f", os.W_OK)
PY
cmp src/d/f m/d/f
run 0 "$SLUICE" umount m
# An option cannot make it writable.
mount_pack p.slu m -o rw
refused touch m/new
run 0 "$SLUICE" umount m
[ "$(cat p.slu/* | cksum)" = "$sum" ]
no_servers
