/* SPDX-License-Identifier: MIT */
/*
 * Reads through mappings, which no call shows: an estimate. How many pages of a mapping this process has in its page
 * tables (/proc/self/pagemap) is what it has touched, and up to 15 neighbours that the kernel maps along with each;
 * pages that have been taken away again are not seen. Looked at before a mapping goes, at the end, and every
 * second or so in between, since a process may be killed.
 */
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "trace/record.h"

enum { PAGES_AT_ONCE = 512 };
#define PAGE_IS_PRESENT (1ull << 63)
#define MAX_PAGES_LOOKED_AT (1ull << 22) /* 16 GiB of 4 KiB pages: some milliseconds */

/* Bytes of [begin, end) that are in this process's page tables. */
static uint64_t present_bytes(int pagemap, uint64_t begin, uint64_t end, uint64_t page)
{
	uint64_t entries[PAGES_AT_ONCE], n = slu_min((end - begin + page - 1) / page, MAX_PAGES_LOOKED_AT), present = 0;

	for (uint64_t i = 0; i < n;) {
		uint64_t want = slu_min(n - i, PAGES_AT_ONCE);
		ssize_t got = pread(pagemap, entries, want * 8, (off_t)((begin / page + i) * 8));
		if (got < 8)
			break;
		for (ssize_t k = 0; k < got / 8; k++)
			present += (entries[k] & PAGE_IS_PRESENT) != 0;
		i += (uint64_t)got / 8;
	}
	return present * page;
}

/* Counts for the file what is more than was counted before. */
static void count(struct slu_recorder *r, struct slu_rec_map *m, int pagemap, uint64_t page)
{
	uint64_t now = slu_min(present_bytes(pagemap, m->begin, m->end, page), m->end - m->begin);
	struct slu_log_file *f = slu_rec_at(r, m->file);

	if (now > m->counted) {
		__atomic_fetch_add(&f->mapped_bytes, now - m->counted, __ATOMIC_RELAXED);
		m->counted = now;
	}
}

void slu_rec_mapped(struct slu_recorder *r, void *at, size_t len, slu_ref file)
{
	uint32_t n;

	slu_rec_lock(&r->lock);
	n = atomic_load(&r->n_maps);
	for (uint32_t i = 0; i <= n && i < SLU_TRACE_MAPS; i++) {
		if (r->maps[i].file)
			continue;
		r->maps[i] = (struct slu_rec_map){ .begin = (uintptr_t)at, .end = (uintptr_t)at + len, .file = file };
		if (i == n)
			atomic_store(&r->n_maps, n + 1);
		break;
	}
	slu_rec_unlock(&r->lock);
}

slu_ref slu_rec_unmapping(struct slu_recorder *r, void *at, size_t len)
{
	uint64_t begin = (uintptr_t)at, end = begin + len, page = (uint64_t)sysconf(_SC_PAGESIZE);
	slu_ref file = 0;
	int pagemap = -1;

	if (!atomic_load(&r->n_maps) || !atomic_load(&r->base))
		return 0;
	slu_rec_lock(&r->lock);
	for (uint32_t i = 0; i < atomic_load(&r->n_maps); i++) {
		struct slu_rec_map *m = &r->maps[i];
		if (!m->file || end <= m->begin || begin >= m->end)
			continue;
		file = m->file;
		if (pagemap < 0)
			pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
		if (pagemap >= 0)
			count(r, m, pagemap, page);
		if (begin <= m->begin && end >= m->end)
			*m = (struct slu_rec_map){ .file = 0 };
		else if (begin <= m->begin)
			m->begin = end;
		else
			m->end = begin; /* what is behind a hole is not looked at again */
	}
	slu_rec_unlock(&r->lock);
	if (pagemap >= 0)
		close(pagemap);
	return file;
}

slu_ref slu_rec_map_file(struct slu_recorder *r, const void *at)
{
	slu_ref file = 0;

	if (!atomic_load(&r->n_maps))
		return 0;
	slu_rec_lock(&r->lock);
	for (uint32_t i = 0; i < atomic_load(&r->n_maps) && !file; i++)
		if ((uintptr_t)at >= r->maps[i].begin && (uintptr_t)at < r->maps[i].end)
			file = r->maps[i].file;
	slu_rec_unlock(&r->lock);
	return file;
}

void slu_rec_look_at_maps(struct slu_recorder *r)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int pagemap;

	if (!atomic_load(&r->n_maps) || !atomic_load(&r->base))
		return;
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (pagemap < 0)
		return;
	slu_rec_lock(&r->lock);
	for (uint32_t i = 0; i < atomic_load(&r->n_maps); i++)
		if (r->maps[i].file)
			count(r, &r->maps[i], pagemap, page);
	slu_rec_unlock(&r->lock);
	close(pagemap);
}
