/* SPDX-License-Identifier: MIT */
/* A shared library that lives in the mount. */
#include "compat.h"
#include <dlfcn.h>

static void run(void)
{
	void *l = dlopen(P("bin/libhello.so"), RTLD_NOW);
	printf("dlopen: %s\n", l ? "open" : "failed");
	int (*f)(void) = l ? (int (*)(void))dlsym(l, "hello_number") : NULL;
	if (f)
		printf("hello_number() = %d\n", f());
	R(dlopen(P("bin/no-such.so"), RTLD_NOW) != NULL);
	R(dlopen(P("text/lines.txt"), RTLD_NOW) != NULL);
	if (l)
		R(dlclose(l));
}
