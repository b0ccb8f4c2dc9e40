/* SPDX-License-Identifier: MIT */
/* Watches of files, and handles: inotify, name_to_handle_at. Nothing ever happens on a read-only mount. */
#include "compat.h"
#include <sys/inotify.h>

static void run(void)
{
	static const char *const rels[] = { "",        "comp.txt", "class-a", "links/rel", "links/dangling",
		                            "no-such", "empty/x" };
	int fd = (int)R(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		printf("%s: ", rels[i]);
		R(inotify_add_watch(fd, P(rels[i]), IN_MODIFY | IN_CREATE | IN_DELETE | IN_ATTRIB));
	}
	R(inotify_add_watch(fd, P("comp.txt"), IN_ONLYDIR | IN_MODIFY));
	R(inotify_add_watch(fd, P("links/rel"), IN_DONT_FOLLOW | IN_MODIFY) > 0);
	R(open(P("new"), O_WRONLY | O_CREAT, 0644));
	R(read(fd, buf, 1000));
	R(inotify_rm_watch(fd, 1));
	R(inotify_rm_watch(fd, 99));
}
