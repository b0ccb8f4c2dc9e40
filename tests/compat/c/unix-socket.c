/* SPDX-License-Identifier: MIT */
/* Sockets with names below the mount: nothing is made, in it or in what it covers. */
#include "compat.h"
#include <sys/socket.h>
#include <sys/un.h>

static int address(struct sockaddr_un *a, const char *rel)
{
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	snprintf(a->sun_path, sizeof(a->sun_path), "%s", P(rel));
	return (int)sizeof(*a);
}

static void run(void)
{
	static const char *const rels[] = { "sock", "comp.txt", "class-a/sock", "no-such/sock", "class-a", "empty/x" };
	struct sockaddr_un a;
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		int s = socket(AF_UNIX, SOCK_STREAM, 0);
		socklen_t n = (socklen_t)address(&a, rels[i]);
		printf("%s:\n", rels[i]);
		R(bind(s, (void *)&a, n));
		close(s);
	}
	R(chdir(P("class-a")));
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	memset(&a, 0, sizeof(a));
	a.sun_family = AF_UNIX;
	strcpy(a.sun_path, "relative");
	R(bind(s, (void *)&a, sizeof(a)));
	/* outside it works, and so do names without files */
	R(chdir(getenv("HOME")));
	R(bind(s, (void *)&a, sizeof(a)));
	R(unlink("relative"));
	int t = socket(AF_UNIX, SOCK_STREAM, 0);
	memset(&a, 0, sizeof(a));
	a.sun_family = AF_UNIX;
	snprintf(a.sun_path + 1, 50, "compat-%d", getpid());
	R(bind(t, (void *)&a, sizeof(a)));
}
