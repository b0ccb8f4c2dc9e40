# SPDX-License-Identifier: MIT
"""Reads through mappings are seen: about as many bytes as were touched, also where the process is killed."""
from tracelib import *

SOURCE = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
/* map FILE BYTES HOW: touches the first BYTES, then unmaps it, leaves it, or is killed a little later */
int main(int argc, char **argv)
{
	long n = atol(argv[2]), sum = 0;
	struct stat st;
	int fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return 1;
	volatile char *m = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	madvise((void *)m, st.st_size, MADV_RANDOM);
	for (long i = 0; i < n; i += 512)
		sum += m[i];
	if (argv[3][0] == 'u')
		munmap((void *)m, st.st_size);
	if (argv[3][0] == 'k') {
		usleep(1100000);
		access("/", F_OK); /* any call: that is when mappings are looked at */
		kill(getpid(), SIGKILL);
	}
	return sum == 123456789;
}
"""


def test(tmp):
    program = compile_c("map", SOURCE)
    with open("big", "wb") as f:
        f.write(os.urandom(32 << 20))
    big = tmp + "/big"
    for how, touched in (("unmap", 8 << 20), ("leave", 16 << 20), ("kill", 4 << 20), ("unmap", 0)):
        t = trace([program, big, str(touched), how], directory="t-%s-%d" % (how, touched), code=-9 if how == "kill" else 0)
        mapped = t.count(big, "mapped")
        # The kernel maps up to 15 pages with one that is touched, and in large pages more.
        check(touched <= mapped <= touched + (2 << 20), "%s: %d bytes touched, %d told", how, touched, mapped)
        check(t.count(big, "map") == (2 if how == "unmap" else 1), "%s: calls %s", how, t.file(big))


main(test)
