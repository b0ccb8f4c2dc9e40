/* SPDX-License-Identifier: MIT */
/* Linked statically: nothing can stand between it and the kernel. static POINT [FD]: reads a descriptor that it is
 * given. */
#include "compat.h"

static int given = -1;

static void run(void)
{
	if (given >= 0) {
		char b[10];
		R(pread(given, b, 10, 5));
		R(lseek(given, 0, SEEK_CUR));
		drain("given", given);
		return;
	}
	int fd = (int)R(open(P("text/lines.txt"), O_RDONLY));
	drain("content", fd);
	R(access(P("class-a"), F_OK));
}

__attribute__((constructor)) static void which(int argc, char **argv)
{
	given = argc > 2 ? atoi(argv[2]) : -1;
}
