/* SPDX-License-Identifier: MIT */
/* Threads that share one pack without a lock all read the truth, whichever way it was opened. */
#include <pthread.h>

#include "pack-fixture.h"

enum { THREADS = 6, ROUNDS = 40 };

struct shared {
	const struct fixture *f;
	struct slu_pack *p;
};

static void *reader(void *arg)
{
	const struct shared *s = arg;
	static _Thread_local char buf[1 << 17], path[SLU_PATH_MAX];
	uint64_t start = (uintptr_t)&buf / 64, found;

	for (int round = 0; round < ROUNDS; round++)
		for (uint64_t k = 0; k < s->f->n; k++) {
			uint64_t i = (start + k * 7) % s->f->n;
			T_EQ(T_OK(slu_pack_read(s->p, i, buf, sizeof(buf))), s->f->len[i]);
			T_MEM(buf, s->f->data[i], s->f->len[i]);
			T_OK(slu_pack_path(s->p, slu_pack_sample_node(s->p, i), path));
			T_STR(path, s->f->path[i]);
			T_OK(slu_pack_find(s->p, path, &found));
			T_EQ(found, i);
			T_ERR(slu_pack_find(s->p, "no/such/file", &found), -ENOENT);
			T_HAS(slu_errmsg(), "no/such/file"); /* each thread has its own sentence */
		}
	return NULL;
}

int main(void)
{
	struct fixture f = { 0 };
	fixture_make(&f, false);
	for (uint32_t io = SLU_IO_MMAP; io <= SLU_IO_PREAD; io++)
		for (uint32_t verify = SLU_VERIFY_ALWAYS; verify <= SLU_VERIFY_ONCE; verify++) {
			struct slu_pack_options opt = { .size = sizeof(opt), .io = io, .verify = verify };
			struct shared s = { .f = &f };
			pthread_t t[THREADS];
			T_OK(slu_pack_open(f.pack, &opt, &s.p));
			for (int i = 0; i < THREADS; i++)
				T_EQ(pthread_create(&t[i], NULL, reader, &s), 0);
			for (int i = 0; i < THREADS; i++)
				T_EQ(pthread_join(t[i], NULL), 0);
			slu_pack_close(s.p);
		}
	fixture_done(&f);
	return 0;
}
