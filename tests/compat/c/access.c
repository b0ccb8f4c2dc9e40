/* SPDX-License-Identifier: MIT */
/* access and its kin. */
#include "compat.h"

static void run(void)
{
	static const char *const rels[] = { "",           "text/lines.txt", "class-a",     "class-a/",
		                            "links/rel",  "links/dangling", "links/loop1", "links/out",
		                            "no-such",    "empty/",         "empty/x",     "script.sh",
		                            "modes/0600", "modes/0444",     "modes/0000",  "modes/dir-0700",
		                            "..",         "links/up" };
	static const int modes[] = { F_OK, R_OK, W_OK, X_OK, R_OK | X_OK, R_OK | W_OK, 8, -1 };
	int d = (int)R(open(point, O_RDONLY | O_DIRECTORY));
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++)
		for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
			const char *p = P(rels[i]);
			int mode = modes[m];
			if (strcmp(rels[i], "..") == 0 && (mode & W_OK))
				continue; /* outside of the mount */
			printf("%s %d: ", rels[i], mode);
			R(access(p, mode));
			if (mode >= 0 && mode < 8) { /* beyond, glibc answers by the way in which it asks */
				R(eaccess(p, mode));
				R(euidaccess(p, mode));
			}
			R(faccessat(AT_FDCWD, p, mode, 0));
			R(faccessat(AT_FDCWD, p, mode, AT_EACCESS));
			R(faccessat(AT_FDCWD, p, mode, AT_SYMLINK_NOFOLLOW));
			if (*rels[i])
				R(faccessat(d, rels[i], mode, 0));
		}
	R(faccessat(d, "", R_OK, AT_EMPTY_PATH));
	R(faccessat(d, "empty", R_OK, 0x10000000));
	R(faccessat(-1, "empty", R_OK, 0));
	R(access("", F_OK));
	R(syscall(SYS_faccessat2, d, "empty", R_OK, 0));
	R(syscall(SYS_faccessat2, d, "empty", W_OK, 0));
}
