/* SPDX-License-Identifier: MIT */
/* statfs, statvfs, pathconf: what every file system tells alike; and xattrs, of which a pack has none. */
#include "compat.h"
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

/* On the plain directory security.* may be there; the case compares user.* and what lists start with. */
static void run(void)
{
	static const char *const rels[] = { "",        "comp.txt", "links/rel", "links/dangling", "links/loop1",
		                            "no-such", "empty/x",  "class-a" };
	struct statfs f;
	struct statfs64 f64;
	struct statvfs v;
	struct statvfs64 v64;
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		const char *p = P(rels[i]);
		printf("--- %s\n", rels[i]);
		if (R(statfs(p, &f)) == 0) {
			R(f.f_namelen);
			MUST(f.f_bsize > 0 && f.f_blocks > 0);
		}
		R(statfs64(p, &f64));
		if (R(statvfs(p, &v)) == 0) {
			R(v.f_namemax);
			R(v.f_flag & ST_RDONLY);
			MUST(v.f_bsize > 0 && v.f_frsize > 0 && v.f_blocks > 0);
		}
		R(statvfs64(p, &v64));
		R(pathconf(p, _PC_NAME_MAX));
		R(pathconf(p, _PC_PATH_MAX));
		R(pathconf(p, _PC_PIPE_BUF));
		R(pathconf(p, _PC_NO_TRUNC));
		R(pathconf(p, _PC_CHOWN_RESTRICTED));
		R(getxattr(p, "user.x", buf, 100));
		R(lgetxattr(p, "user.x", buf, 100));
		R(listxattr(p, buf, 1000));
		R(llistxattr(p, buf, 1000));
		R(listxattr(p, NULL, 0));
		R(setxattr(p, "user.x", "1", 1, 0));
		R(lsetxattr(p, "user.x", "1", 1, 0));
		R(removexattr(p, "user.x"));
		R(lremovexattr(p, "user.x"));
		R(getxattr(p, "system.posix_acl_access", buf, 100));
		R(getxattr(p, "security.capability", buf, 100));
		int fd = open(p, O_RDONLY);
		if (fd < 0)
			continue;
		if (R(fstatfs(fd, &f)) == 0)
			R(f.f_namelen);
		R(fstatfs64(fd, &f64));
		R(fstatvfs(fd, &v));
		R(fstatvfs64(fd, &v64));
		R(v.f_flag & ST_RDONLY);
		R(fpathconf(fd, _PC_NAME_MAX));
		R(fpathconf(fd, _PC_PATH_MAX));
		R(fgetxattr(fd, "user.x", buf, 100));
		R(flistxattr(fd, buf, 1000));
		R(fsetxattr(fd, "user.x", "1", 1, 0));
		R(fremovexattr(fd, "user.x"));
		close(fd);
	}
	R(fstatfs(99, &f));
	R(fstatvfs(99, &v));
	R(fpathconf(99, _PC_NAME_MAX));
	R(fgetxattr(99, "user.x", buf, 100));
	R(flistxattr(99, buf, 100));
	R(fsetxattr(99, "user.x", "1", 1, 0));
	R(getxattr(P("comp.txt"), "nonsense", buf, 100));
}
