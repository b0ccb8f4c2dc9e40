/* SPDX-License-Identifier: MIT */
/* statx: masks, flags, descriptors. */
#include "compat.h"
#include <sys/sysmacros.h>

static void go(const char *what, int d, const char *path, int flags, unsigned mask)
{
	struct statx x;
	memset(&x, 0x55, sizeof(x));
	errno = 0;
	int rc = statx(d, path, flags, mask, &x);
	if (rc) {
		printf("%s: %d %s\n", what, rc, ename(errno));
		return;
	}
	/* what was asked for and every file system has must be told */
	MUST((mask & STATX_BASIC_STATS & ~x.stx_mask) == 0);
	/* what was not asked for may be there or not */
	if ((mask & STATX_BASIC_STATS) != STATX_BASIC_STATS) {
		printf("%s: mask %x", what, mask);
		if (mask & STATX_SIZE && !S_ISDIR(x.stx_mode))
			printf(" size %llu", (unsigned long long)x.stx_size);
		if (mask & STATX_TYPE)
			printf(" kind %o", x.stx_mode & S_IFMT);
		printf("\n");
		return;
	}
	printf("%s: mode %o uid %u gid %u", what, x.stx_mode, x.stx_uid, x.stx_gid);
	if (!S_ISDIR(x.stx_mode))
		printf(" size %llu links %u", (unsigned long long)x.stx_size, x.stx_nlink);
	printf(" mtime %lld.%09u rdev %u:%u\n", (long long)x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec, x.stx_rdev_major,
	       x.stx_rdev_minor);
	MUST(x.stx_ino && x.stx_blksize);
	struct stat st;
	if ((flags & AT_EMPTY_PATH) && !*path)
		rc = fstat(d, &st);
	else
		rc = fstatat(d, path, &st, flags & AT_SYMLINK_NOFOLLOW);
	MUST(rc == 0 && st.st_ino == x.stx_ino && (uint64_t)st.st_blocks == x.stx_blocks);
	MUST(rc == 0 && makedev(x.stx_dev_major, x.stx_dev_minor) == st.st_dev);
}

static void run(void)
{
	static const char *const rels[] = { "",          "text/lines.txt", "class-a",
		                            "links/rel", "links/dangling", "links/loop1",
		                            "links/out", "no-such",        "empty/",
		                            "empty/x",   "big.bin",        "modes/4755" };
	int d = (int)R(open(point, O_RDONLY | O_DIRECTORY));
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		go(rels[i], AT_FDCWD, P(rels[i]), 0, STATX_BASIC_STATS);
		go(rels[i], AT_FDCWD, P(rels[i]), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS);
		go(rels[i], AT_FDCWD, P(rels[i]), 0, 0);
		go(rels[i], AT_FDCWD, P(rels[i]), 0, STATX_SIZE | STATX_TYPE);
		go(rels[i], AT_FDCWD, P(rels[i]), AT_STATX_FORCE_SYNC, STATX_ALL);
		go(rels[i], AT_FDCWD, P(rels[i]), AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_BASIC_STATS);
		if (*rels[i])
			go(rels[i], d, rels[i], 0, STATX_BASIC_STATS);
	}
	go("an empty path", d, "", AT_EMPTY_PATH, STATX_BASIC_STATS);
	int fd = (int)R(open(P("comp.txt"), O_RDONLY));
	go("a file's empty path", fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS);
	go("without the flag", fd, "", 0, STATX_BASIC_STATS);
	go("a bad flag", fd, "", 0x40000000, STATX_BASIC_STATS);
	go("both syncs", fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC | AT_STATX_DONT_SYNC, STATX_BASIC_STATS);
	go("a reserved mask", fd, "", AT_EMPTY_PATH, 0x80000000);
	go("a bad descriptor", 99, "", AT_EMPTY_PATH, STATX_BASIC_STATS);
}
