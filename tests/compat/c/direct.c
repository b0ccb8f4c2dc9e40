/* SPDX-License-Identifier: MIT */
/* O_DIRECT with aligned buffers, O_SYNC and other flags that reading programs use. */
#include "compat.h"

static void run(void)
{
	static const char *const rels[] = { "comp.txt", "raw70k.bin", "big.bin", "empty" };
	char *b = aligned_alloc(4096, 4 << 20);
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		int fd = (int)R(open(P(rels[i]), O_RDONLY | O_DIRECT));
		if (fd < 0)
			continue;
		R((fcntl(fd, F_GETFL) & O_DIRECT) != 0);
		bytes("first", b, R(read(fd, b, 65536)));
		bytes("at 4096", b, R(pread(fd, b, 8192, 4096)));
		bytes("over the end", b, R(pread(fd, b, 4 << 20, 0)));
		R(fcntl(fd, F_SETFL, 0));
		R((fcntl(fd, F_GETFL) & O_DIRECT) != 0);
		bytes("unaligned, when it is off", b, R(pread(fd, b + 1, 100, 7)));
		R(close(fd));
		fd = (int)R(open(P(rels[i]), O_RDONLY | O_SYNC | O_NOCTTY | O_LARGEFILE));
		R(fcntl(fd, F_GETFL));
		R(close(fd));
	}
}
