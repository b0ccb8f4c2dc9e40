/* SPDX-License-Identifier: MIT */
/* In the child of a fork() the threads are gone: the old epoch is refused, a new one works, and the parent's goes on.
 */
#include "load-fixture.h"

static struct load_fixture f;

int main(void)
{
	static int64_t list[LOAD_SAMPLES];
	struct slu_loader_options opt = { .order = "global", .batch_size = 10, .threads = 2 };
	struct slu_loader *l;
	struct slu_batch *b;
	int status;
	pid_t pid;

	load_fixture_make(&f);
	T_OK(slu_loader_new(f.pack, &opt, &l));
	T_OK(slu_loader_start(l, 0, 0));
	(void)load_take(&f, l, 3, list);
	pid = fork();
	T_TRUE(pid >= 0);
	if (pid == 0) {
		alarm(20);
		T_ERR(slu_loader_next(l, -1, &b), -ECHILD);
		T_OK(slu_loader_start(l, 0, 0));
		T_EQ(load_take(&f, l, 0, list), LOAD_SAMPLES);
		slu_loader_free(l);
		_exit(0);
	}
	T_EQ(waitpid(pid, &status, 0), pid);
	T_EQ(status, 0);
	T_EQ(load_take(&f, l, 0, list), LOAD_SAMPLES - 30);
	slu_loader_free(l);
	load_fixture_done(&f);
	return 0;
}
