/* SPDX-License-Identifier: MIT */
/* The journal of a pack being made. See journal.h. */
#include "pack/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/le.h"
#include "base/macros.h"
#include "pack/staging.h"

/* Not a format for others: another version of the writer starts over. */
#define MAGIC "SLUJRNL1"
enum { HEAD = 24, BATCH_HEAD = 32, ITEM = 17 };

int slu_journal_create(struct slu_journal *j, int dirfd, const uint8_t plan[16])
{
	uint8_t head[HEAD];
	int r = slu_openat(dirfd, SLU_JOURNAL_NAME, O_RDWR | O_CREAT | O_TRUNC, 0666);

	if (r < 0)
		return slu_fail_sys(r, "cannot make the journal");
	j->fd = r;
	memcpy(head, MAGIC, 8);
	memcpy(head + 8, plan, 16);
	j->end = HEAD;
	return slu_pwrite(j->fd, head, HEAD, 0, "the journal");
}

static void unpack_items(const uint8_t *p, struct slu_stored *stored, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++, p += ITEM)
		stored[i] = (struct slu_stored){ slu_get64(p), slu_get64(p + 8), p[16] };
}

/* One batch at j->end. 1, or 0 where the journal ends. */
static int load_batch(struct slu_journal *j, struct slu_stored *stored, uint64_t n, uint64_t *done, uint64_t *flags)
{
	SLU_AUTO(mem) uint8_t *items = NULL;
	uint8_t head[BATCH_HEAD];
	uint64_t count;

	if (slu_pread(j->fd, head, BATCH_HEAD, j->end) != BATCH_HEAD)
		return 0;
	count = slu_get64(head + 8);
	if (slu_get64(head) != *done || count == 0 || count > n - *done)
		return 0;
	items = malloc(BATCH_HEAD + count * ITEM);
	if (!items)
		return slu_fail_memory();
	memcpy(items, head, BATCH_HEAD);
	if (slu_pread(j->fd, items + BATCH_HEAD, count * ITEM, j->end + BATCH_HEAD) != (ssize_t)(count * ITEM))
		return 0;
	slu_put64(items + 24, 0);
	if (slu_hash64(items, BATCH_HEAD + count * ITEM) != slu_get64(head + 24))
		return 0;
	unpack_items(items + BATCH_HEAD, stored + *done, count);
	*done += count;
	*flags = slu_get64(head + 16);
	j->end += BATCH_HEAD + count * ITEM;
	return 1;
}

int slu_journal_load(struct slu_journal *j, int dirfd, const uint8_t plan[16], struct slu_stored *stored, uint64_t n,
                     uint64_t *ret_done, uint64_t *ret_flags)
{
	uint64_t done = 0, flags = 0;
	uint8_t head[HEAD];
	int r = slu_openat(dirfd, SLU_JOURNAL_NAME, O_RDWR, 0);

	if (r < 0)
		return slu_fail_sys(r, "cannot open the journal of the interrupted run");
	j->fd = r;
	j->end = HEAD;
	r = 0;
	if (slu_pread(j->fd, head, HEAD, 0) == HEAD && memcmp(head, MAGIC, 8) == 0 && memcmp(head + 8, plan, 16) == 0)
		while ((r = load_batch(j, stored, n, &done, &flags)) > 0)
			;
	*ret_done = done;
	*ret_flags = flags;
	return r;
}

int slu_journal_add(struct slu_journal *j, uint64_t first, const struct slu_stored *stored, uint64_t n, uint64_t flags)
{
	SLU_AUTO(mem) uint8_t *batch = malloc(BATCH_HEAD + n * ITEM);
	uint8_t *p = batch + BATCH_HEAD;
	int r;

	if (!batch)
		return slu_fail_memory();
	slu_put64(batch, first);
	slu_put64(batch + 8, n);
	slu_put64(batch + 16, flags);
	slu_put64(batch + 24, 0);
	for (uint64_t i = 0; i < n; i++, p += ITEM) {
		slu_put64(p, stored[i].hash);
		slu_put64(p + 8, stored[i].stored);
		p[16] = stored[i].code;
	}
	slu_put64(batch + 24, slu_hash64(batch, BATCH_HEAD + n * ITEM));
	if ((r = slu_pwrite(j->fd, batch, BATCH_HEAD + n * ITEM, j->end, "the journal")) < 0 ||
	    (r = slu_sync(j->fd, "the journal")) < 0)
		return r;
	j->end += BATCH_HEAD + n * ITEM;
	return 0;
}

void slu_journal_close(struct slu_journal *j)
{
	if (j->fd >= 0)
		close(slu_take_fd(&j->fd));
}
