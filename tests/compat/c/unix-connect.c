/* SPDX-License-Identifier: MIT */
/* Connecting to what is no socket. */
#include "compat.h"
#include <sys/socket.h>
#include <sys/un.h>

static void run(void)
{
	static const char *const rels[] = { "sock", "comp.txt", "class-a", "empty/x" };
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		struct sockaddr_un a = { .sun_family = AF_UNIX };
		snprintf(a.sun_path, sizeof(a.sun_path), "%s", P(rels[i]));
		int s = socket(AF_UNIX, SOCK_STREAM, 0), d = socket(AF_UNIX, SOCK_DGRAM, 0);
		printf("%s:\n", rels[i]);
		R(connect(s, (void *)&a, sizeof(a)));
		R(sendto(d, "x", 1, 0, (void *)&a, sizeof(a)));
		close(s);
		close(d);
	}
}
