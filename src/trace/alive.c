/* SPDX-License-Identifier: MIT */
/* Which process a log is of: see alive.h. */
#include "trace/alive.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t slu_read_small(const char *path, char *buf, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, buf, room - 1, 0);

	if (fd >= 0)
		close(fd);
	buf[n < 0 ? 0 : n] = 0;
	return n;
}

/* Field 22 of /proc/PID/stat; the name before it may hold anything but ends with the last ')'. */
uint64_t slu_start_ticks(uint32_t pid)
{
	char path[40] = "/proc/self/stat", buf[1024], *p;
	int field = 2;

	if (pid)
		(void)snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (slu_read_small(path, buf, sizeof(buf)) < 0 || !(p = strrchr(buf, ')')))
		return 0;
	for (; *p && field < 22; p++)
		field += *p == ' ';
	return strtoull(p, NULL, 10);
}

void slu_boot_id(uint8_t ret_id[16])
{
	char buf[64];
	unsigned n = 0;

	memset(ret_id, 0, 16);
	if (slu_read_small("/proc/sys/kernel/random/boot_id", buf, sizeof(buf)) < 0)
		return;
	for (const char *p = buf; *p && n < 32; p++) {
		unsigned v = *p >= '0' && *p <= '9' ? (unsigned)(*p - '0') : (unsigned)(*p - 'a') + 10;
		if (v > 15)
			continue;
		ret_id[n / 2] = (uint8_t)(ret_id[n / 2] << 4 | v);
		n++;
	}
}

bool slu_log_is_alive(const struct slu_log_header *h)
{
	uint8_t boot[16];

	slu_boot_id(boot);
	return h->state == SLU_LOG_RUNNING && h->pid && memcmp(boot, h->boot_id, sizeof(boot)) == 0 && h->start_ticks &&
	       slu_start_ticks(h->pid) == h->start_ticks;
}
