/* SPDX-License-Identifier: MIT */
/*
 * What an epoch costs in memory:  bench-epoch WORKDIR [SAMPLES]
 *
 * A loader goes through 15 M samples in global order. Prints the memory that is this process's own (the kernel's
 * count of anonymous pages) before the loader, while it works, and after; the index, which all processes share,
 * beside it.
 */
#include <sluice/load.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "synthetic.h"

enum { BYTES = 16, BATCH = 256 };

static double private_mib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	double kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "Anonymous:", 10) == 0)
			kib = atof(line + 10);
	if (f)
		fclose(f);
	return kib / 1024;
}

static void run(struct slu_pack *p, uint32_t verify, const char *name)
{
	struct slu_loader_options opt = {
		.order = "global", .batch_size = BATCH, .threads = 2, .verify = verify, .io = SLU_LOAD_IO_MMAP
	};
	double before = private_mib(), most = 0, now;
	uint64_t began, n = 0;
	struct slu_loader *l;
	struct slu_batch *b;
	int r;

	bench_check(slu_loader_new(p, &opt, &l), "loader");
	began = slu_now_ns();
	bench_check(slu_loader_start(l, 0, 0), "start");
	for (uint64_t k = 0; (r = slu_loader_next(l, -1, &b)) > 0; k++) {
		n += slu_batch_info(b)->count;
		slu_batch_unref(b);
		if (k % 4096 == 0 && (now = private_mib()) > most)
			most = now;
	}
	bench_check(r, "batch");
	printf("  %-16s %10llu samples, %.2f M/s; private memory: %.1f MiB before, %.1f MiB at most while it works\n",
	       name, (unsigned long long)n, (double)n * 1e3 / (double)(slu_now_ns() - began), before, most);
	slu_loader_free(l);
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 15000000;
	struct slu_pack_info info;
	char dir[4096], file[4200];
	struct slu_pack *p;

	if (argc < 2) {
		fprintf(stderr, "usage: bench-epoch WORKDIR [SAMPLES]\n");
		return 2;
	}
	snprintf(dir, sizeof(dir), "%s/epoch.slu", argv[1]);
	if (argc < 4) { /* then in a process of its own: what making the pack took is not to be counted */
		synthetic_pack(dir, n, BYTES);
		execl("/proc/self/exe", argv[0], argv[1], argc > 2 ? argv[2] : "15000000", "made", (char *)NULL);
		return 1;
	}
	bench_check(slu_pack_open(dir, NULL, &p), dir);
	bench_check(slu_pack_info(p, &info), dir);
	printf("\nAn epoch over %llu samples of %d bytes, global order, batches of %d, 2 threads (shared index: %.0f MiB)\n",
	       (unsigned long long)n, BYTES, BATCH, (double)info.index_bytes / 1048576);
	run(p, SLU_LOAD_VERIFY_ALWAYS, "verify always");
	run(p, SLU_LOAD_VERIFY_ONCE, "verify once");
	slu_pack_close(p);
	snprintf(file, sizeof(file), "%s/index", dir);
	unlink(file);
	snprintf(file, sizeof(file), "%s/shard-00000", dir);
	unlink(file);
	rmdir(dir);
	return 0;
}
