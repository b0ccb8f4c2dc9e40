/* SPDX-License-Identifier: MIT */
/* The kernel called by an instruction of the program's own, as Go and some JITs do. */
#include "compat.h"

static long call(long n, long a, long b, long c, long d)
{
#if defined(__x86_64__)
	long r;
	register long r10 __asm__("r10") = d;
	__asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return r;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#else
	return -ENOSYS;
#endif
}

static void run(void)
{
	long fd = call(SYS_openat, AT_FDCWD, (long)P("text/lines.txt"), O_RDONLY, 0);
	printf("openat: %s\n", fd < 0 ? ename((int)-fd) : "open");
	/* one that libc opened, read by the instruction: a descriptor that was never handed to the kernel's view */
	int g = (int)R(open(P("comp.txt"), O_RDONLY));
	long n = call(SYS_read, g, (long)buf, 1000, 0);
	printf("read: %ld\n", n);
}
