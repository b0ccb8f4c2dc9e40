/* SPDX-License-Identifier: MIT */
/* Generated data: make-blobs DIR COUNT LEAST MOST: incompressible files of LEAST to MOST bytes in
 * ten class folders; the same every time. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: make-blobs DIR COUNT LEAST MOST\n");
		return 2;
	}
	uint64_t count = strtoull(argv[2], NULL, 10), least = strtoull(argv[3], NULL, 10),
		 most = strtoull(argv[4], NULL, 10);
	uint64_t x = 0x2545f4914f6cdd1du, *buf = malloc(most + 8);

	mkdir(argv[1], 0777);
	for (uint64_t i = 0; i < count; i++) {
		char path[4096];
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		uint64_t n = least + x % (most - least + 1);
		for (uint64_t k = 0; k < n / 8 + 1; k++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			buf[k] = x;
		}
		snprintf(path, sizeof(path), "%s/class%llu", argv[1], (unsigned long long)(i % 10));
		if (i < 10)
			mkdir(path, 0777);
		snprintf(path, sizeof(path), "%s/class%llu/%06llu.bin", argv[1], (unsigned long long)(i % 10),
		         (unsigned long long)i);
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (fd < 0 || slu_pwrite(fd, buf, n, 0, path) < 0) {
			fprintf(stderr, "make-blobs: %s: %s\n", path, strerror(errno));
			return 1;
		}
		close(fd);
	}
	free(buf);
	return 0;
}
