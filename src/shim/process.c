/* SPDX-License-Identifier: MIT */
/*
 * Processes: fork, vfork, _exit.
 *
 * fork() copies the tables and shares the slab: beforehand each open file is counted once more for the child. What a
 * program would inherit (descriptors without close-on-exec) is made real beforehand too, so that parent and child
 * share the kernel's position afterwards. The same holds before vfork(), whose child may dup2() any descriptor
 * onto its standard input; the child itself leaves the tables alone (slu_in_vfork).
 */
#include "shim/process.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "shim/heap.h"
#include "shim/shim.h"
#include "shim/traced.h"

_Thread_local unsigned slu_vfork_depth __attribute__((tls_model("initial-exec")));
enum { MAX_DEPTH = 4 };
static _Thread_local pid_t vfork_parents[MAX_DEPTH] __attribute__((tls_model("initial-exec")));

/* A signal that comes as vfork() returns runs in the parent while the depth still says otherwise. */
bool slu_vfork_is_child(void)
{
	unsigned k = slu_vfork_depth - 1;

	return k >= MAX_DEPTH || vfork_parents[k] != (pid_t)syscall(SYS_getpid);
}

static void before_fork(void)
{
	if (!slu_shim_on())
		return;
	slu_real_inherited(SLU_INHERIT_FORK);
	slu_fds_hold_all(&slu_shim.fds);
}

/* libc does not say whether fork() failed: then slots are lost, as with a child that is killed. */
static void in_parent(void)
{
	if (slu_shim_on())
		slu_fds_forked(&slu_shim.fds, true);
}

static void in_child(void)
{
	int saved = errno;
	struct stat st;

	slu_traced_forked();
	slu_heap_after_fork();
	slu_map_after_fork();
	if (slu_shim_on() && fstat(atomic_load(&slu_shim.placeholder), &st) == 0)
		slu_fds_after_fork(&slu_shim.fds, st.st_dev);
	errno = saved;
}

/* Packs are opened where the parent keeps them. */
static void open_packs(void)
{
	struct slu_pack *p;

	for (unsigned i = 0; i < slu_shim.vfs.n; i++)
		(void)!slu_mount_pack(&slu_shim.vfs, &slu_shim.vfs.mounts[i], &p); /* said when it is needed */
}

long slu_vfork_begin(void);
long slu_vfork_begin(void)
{
	int saved = errno;

	if (slu_vfork_depth == 0 && slu_shim_on()) {
		open_packs();
		slu_real_inherited(SLU_INHERIT_ALL);
	}
	if (slu_vfork_depth < MAX_DEPTH)
		vfork_parents[slu_vfork_depth] = (pid_t)syscall(SYS_getpid);
	slu_vfork_depth++;
	errno = saved;
	return 0;
}

/* In the parent, when the child has gone. */
long slu_vfork_end(long result);
long slu_vfork_end(long result)
{
	if (--slu_vfork_depth == 0)
		slu_cwd_after_vfork();
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}

/*
 * vfork() returns twice on one stack: the child's calls run over whatever a C function would have left there. So the
 * return address waits in a register, as in libc's own.
 */
#if defined(__x86_64__)
__asm__(".text\n.globl vfork\n.type vfork, %function\nvfork:\n"
        "	.cfi_startproc\n"
        "	endbr64\n"
        "	subq $8, %rsp\n"
        "	.cfi_adjust_cfa_offset 8\n"
        "	call slu_vfork_begin\n"
        "	addq $8, %rsp\n"
        "	.cfi_adjust_cfa_offset -8\n"
        "	popq %rdi\n"
        "	.cfi_adjust_cfa_offset -8\n"
        "	.cfi_register %rip, %rdi\n"
        "	movl $58, %eax\n" /* vfork */
        "	syscall\n"
        "	pushq %rdi\n"
        "	.cfi_adjust_cfa_offset 8\n"
        "	.cfi_rel_offset %rip, 0\n"
        "	testq %rax, %rax\n"
        "	je 1f\n"
        "	subq $8, %rsp\n"
        "	.cfi_adjust_cfa_offset 8\n"
        "	movq %rax, %rdi\n"
        "	call slu_vfork_end\n"
        "	addq $8, %rsp\n"
        "	.cfi_adjust_cfa_offset -8\n"
        "1:	ret\n"
        "	.cfi_endproc\n"
        ".size vfork, . - vfork\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl vfork\n.type vfork, %function\nvfork:\n"
        "	stp x29, x30, [sp, #-16]!\n"
        "	bl slu_vfork_begin\n"
        "	ldp x29, x30, [sp], #16\n"
        "	mov x0, #0x4111\n" /* CLONE_VM | CLONE_VFORK | SIGCHLD */
        "	mov x1, #0\n"
        "	mov x2, #0\n"
        "	mov x3, #0\n"
        "	mov x4, #0\n"
        "	mov x8, #220\n" /* clone */
        "	svc #0\n"
        "	cbz x0, 1f\n"
        "	stp x29, x30, [sp, #-16]!\n"
        "	bl slu_vfork_end\n"
        "	ldp x29, x30, [sp], #16\n"
        "1:	ret\n"
        ".size vfork, . - vfork\n");
#else
/* Elsewhere a fork() does what a vfork() may be used for. */
SHIM pid_t vfork(void)
{
	return fork();
}
#endif
SHIM_ALIAS(__vfork, vfork);

/* fork() without handlers. */
pid_t _Fork(void);
SHIM pid_t _Fork(void)
{
	pid_t pid;

	if (!slu_shim_carries())
		return NEXT(_Fork)();
	before_fork();
	pid = NEXT(_Fork)();
	if (pid == 0)
		in_child();
	else if (slu_shim_on())
		slu_fds_forked(&slu_shim.fds, pid > 0);
	return pid;
}

SHIM void _exit(int code)
{
	slu_traced_exit();
	if (slu_shim.fds.table && !slu_in_vfork)
		slu_fds_release_all(&slu_shim.fds);
	NEXT(_exit)(code);
	__builtin_unreachable();
}
SHIM_ALIAS(_Exit, _exit);

/* exit() goes to the kernel inside libc. */
__attribute__((destructor)) static void at_exit(void)
{
	slu_traced_exit();
	if (slu_shim.fds.table && !slu_in_vfork)
		slu_fds_release_all(&slu_shim.fds);
}

void slu_process_start(void)
{
	slu_env_start();
	(void)pthread_atfork(before_fork, in_parent, in_child); /* fails for want of memory, which there is at start */
}
