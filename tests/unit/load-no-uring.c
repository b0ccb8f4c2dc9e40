/* SPDX-License-Identifier: MIT */
/* Where io_uring is forbidden, as in most containers, reads go another way, unless it was asked for by name. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "load-fixture.h"

static struct load_fixture f;

static void forbid(long call)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), /* the number of the call */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	T_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		T_SKIP("this kernel has no seccomp filters");
}

/* No page of the shards is in memory, as far as that can be had. */
static void make_cold(void)
{
	for (int k = 0; k < 3; k++) {
		char shard[600];
		int fd;
		snprintf(shard, sizeof(shard), "%s/shard-%05d", f.path, k);
		T_TRUE((fd = open(shard, O_RDONLY)) >= 0);
		(void)fsync(fd);
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
	}
}

static int begin(uint32_t io, struct slu_loader **ret_loader)
{
	struct slu_loader_options opt = { .order = "global", .batch_size = 16, .threads = 2, .io = io };

	T_OK(slu_loader_new(f.pack, &opt, ret_loader));
	return slu_loader_start(*ret_loader, 0, 0);
}

int main(void)
{
	static int64_t list[LOAD_SAMPLES];
	struct slu_loader *l;
	struct slu_batch *b;

	load_fixture_make(&f);
	forbid(SYS_io_uring_setup);
	make_cold();
	T_OK(begin(SLU_LOAD_IO_AUTO, &l));
	T_EQ(load_take(&f, l, 0, list), LOAD_SAMPLES);
	slu_loader_free(l);
	T_ERR(begin(SLU_LOAD_IO_URING, &l), -EOPNOTSUPP);
	T_HAS(slu_errmsg(), "io_uring");
	T_ERR(slu_loader_start(l, 0, 0), -EOPNOTSUPP);
	T_ERR(slu_loader_next(l, -1, &b), -EINVAL); /* at once: nobody would ever bring it */
	slu_loader_free(l);
	load_fixture_done(&f);
	return 0;
}
