/* SPDX-License-Identifier: MIT */
/* Every call that would change something: the errors of a read-only file system. */
#include "compat.h"
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

static const char *const rels[] = { "text/lines.txt", "class-a",   "links/rel", "links/dangling",
	                            "links/loop1",    "no-such",   "no/such",   "empty/x",
	                            "empty-dir",      "links/dir", "",          "." };

/* open() for reading and writing is in open.c; here is the rest, by path. */
static void by_path(void)
{
	struct timeval tv[2] = { { 1, 2 }, { 3, 4 } };
	struct timespec ts[2] = { { 1, 2 }, { 3, 4 } };
	struct utimbuf ut = { 1, 2 };
	int d = (int)R(open(point, O_RDONLY | O_DIRECTORY));
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		const char *rel = rels[i], *p = P(rel);
		printf("--- %s\n", rel);
		R(unlink(p));
		R(remove(p));
		R(rmdir(p));
		R(mkdir(p, 0755));
		R(rename(p, P("elsewhere")));
		R(rename(P("small.bin"), p));
		R(link(p, P("elsewhere")));
		R(link(P("small.bin"), p));
		R(symlink("target", p));
		R(truncate(p, 10));
		R(truncate64(p, 10));
		R(chmod(p, 0600));
		R(chown(p, 1, 1));
		R(lchown(p, 1, 1));
		R(utime(p, &ut));
		R(utimes(p, tv));
		R(lutimes(p, tv));
		R(utimensat(AT_FDCWD, p, ts, 0));
		R(utimensat(AT_FDCWD, p, NULL, AT_SYMLINK_NOFOLLOW));
		R(mknod(p, S_IFREG | 0644, 0));
		R(mknod(p, S_IFIFO | 0644, 0));
		R(mkfifo(p, 0644));
		R(mknod(p, S_IFCHR | 0644, makedev(1, 3)));
		R(setxattr(p, "user.x", "1", 1, 0));
		if (!*rel)
			continue;
		R(unlinkat(d, rel, 0));
		R(unlinkat(d, rel, AT_REMOVEDIR));
		R(mkdirat(d, rel, 0755));
		R(renameat(d, rel, d, "elsewhere"));
		R(renameat2(d, rel, d, "elsewhere", RENAME_NOREPLACE));
		R(renameat2(d, rel, d, "small.bin", RENAME_EXCHANGE));
		R(linkat(d, rel, d, "elsewhere", 0));
		R(linkat(d, rel, d, "elsewhere", AT_SYMLINK_FOLLOW));
		R(symlinkat("target", d, rel));
		R(fchmodat(d, rel, 0600, 0));
		R(fchmodat(d, rel, 0600, AT_SYMLINK_NOFOLLOW));
		R(fchownat(d, rel, 1, 1, 0));
		R(fchownat(d, rel, 1, 1, AT_SYMLINK_NOFOLLOW));
		R(futimesat(d, rel, tv));
		R(utimensat(d, rel, ts, 0));
		R(mknodat(d, rel, S_IFREG | 0644, 0));
		R(mkfifoat(d, rel, 0644));
	}
	R(unlinkat(d, "small.bin", 0x4000000));
	R(mkdir(P("class-a/"), 0755));
	R(mkdir(P("new/"), 0755));
	R(rmdir(P("empty-dir/")));
	R(rmdir(P("empty-dir/.")));
	R(rmdir(P("empty-dir/..")));
	R(unlink(P("small.bin/")));
	R(fchmodat(99, "small.bin", 0600, 0));
	R(close(d));
}

static void across(void)
{
	printf("--- across the border\n");
	int fd = (int)R(open("local", O_WRONLY | O_CREAT, 0644));
	R(close(fd));
	R(rename("local", P("new")));
	R(rename("local", P("small.bin")));
	R(rename(P("small.bin"), "new"));
	R(link("local", P("new")));
	R(link(P("small.bin"), "new"));
	R(renameat2(AT_FDCWD, "local", AT_FDCWD, P("new"), RENAME_NOREPLACE));
	R(symlink(P("small.bin"), "to-inside"));
	fd = (int)R(open("to-inside", O_RDONLY));
	drain("through a link from outside", fd);
	R(close(fd));
	R(open("to-inside", O_WRONLY));
	R(chmod("to-inside", 0600));
	R(truncate("to-inside", 1));
	R(unlink("to-inside")); /* the link itself is outside */
	R(unlink("local"));
}

static void temporary(void)
{
	char a[PATH_MAX];
	printf("--- temporary files\n");
	snprintf(a, sizeof(a), "%s/XXXXXX", point);
	R(mkstemp(a));
	snprintf(a, sizeof(a), "%s/XXXXXX", point);
	R(mkostemp(a, O_CLOEXEC));
	snprintf(a, sizeof(a), "%s/XXXXXX.txt", point);
	R(mkstemps(a, 4));
	snprintf(a, sizeof(a), "%s/XXXXXX.txt", point);
	R(mkostemps(a, 4, 0));
	snprintf(a, sizeof(a), "%s/XXXXXX", point);
	R(mkstemp64(a));
	snprintf(a, sizeof(a), "%s/class-a/XXXXXX", point);
	RP(mkdtemp(a));
	snprintf(a, sizeof(a), "%s/no-such/XXXXXX", point);
	R(mkstemp(a));
	RP(mkdtemp(a));
	snprintf(a, sizeof(a), "%s/XXXX", point);
	R(mkstemp(a));
	snprintf(a, sizeof(a), "%s/aXXXXXX", point);
	RP(mktemp(a)); /* only a name that is free */
	MUST(strlen(a) == strlen(point) + 8);
	/* outside all goes well */
	strcpy(a, "./outXXXXXX");
	int fd = (int)R(mkstemp(a));
	R(write(fd, "x", 1));
	R(close(fd));
	R(unlink(a));
}

static void by_fd(const char *rel)
{
	struct timeval tv[2] = { { 1, 2 }, { 3, 4 } };
	struct timespec ts[2] = { { 1, 2 }, { 3, 4 } };
	printf("--- descriptor of %s\n", rel);
	int fd = (int)R(open(P(rel), O_RDONLY));
	R(write(fd, "x", 1));
	R(pwrite(fd, "x", 1, 0));
	R(pwrite64(fd, "x", 1, 0));
	R(ftruncate(fd, 1));
	R(ftruncate64(fd, 1));
	R(fallocate(fd, 0, 0, 100));
	R(posix_fallocate(fd, 0, 100));
	R(fallocate64(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 100));
	R(fchmod(fd, 0600));
	R(fchown(fd, 1, 1));
	R(futimes(fd, tv));
	R(futimens(fd, ts));
	R(utimensat(fd, NULL, ts, 0));
	R(fchmodat(fd, "", 0600, 0));
	R(fchownat(fd, "", 1, 1, AT_EMPTY_PATH));
	R(fsync(fd));
	R(fdatasync(fd));
	R(sync_file_range(fd, 0, 10, SYNC_FILE_RANGE_WRITE));
	R(syncfs(fd));
	R(fsetxattr(fd, "user.x", "1", 1, 0));
	bytes("unchanged", buf, pread(fd, buf, sizeof(buf), 0));
	R(close(fd));
	R(ftruncate(fd, 1));
	R(fsync(fd));
	R(fchmod(fd, 0600));
	R(write(fd, "x", 1));
}

static void run(void)
{
	by_path();
	across();
	temporary();
	by_fd("text/lines.txt");
	by_fd("comp.txt");
	by_fd("big.bin");
	by_fd("class-a");
	R(chdir(point));
	R(unlink("small.bin"));
	R(mkdir("new", 0755));
	R(open("new", O_WRONLY | O_CREAT, 0644));
	RP(tmpfile()); /* somewhere else */
}
