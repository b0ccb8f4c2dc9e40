/* SPDX-License-Identifier: MIT */
/* A script outside, whose interpreter is in the mount. */
#include "compat.h"

static void run(void)
{
	FILE *f = fopen("outside.sh", "w");
	fprintf(f, "#!%s/bin/hello interpreted\n", point);
	fclose(f);
	chmod("outside.sh", 0755);
	pid_t pid = fork();
	if (pid == 0) {
		execl("./outside.sh", "outside.sh", (char *)NULL);
		printf("exec failed: %s\n", ename(errno));
		_exit(126);
	}
	ended("an interpreter in the mount", pid);
	unlink("outside.sh");
}
