/* SPDX-License-Identifier: MIT */
/*
 * The ledger of a run. See ledger.h.
 *
 * The file: a header, a table with a line for each mount (its tallies are there), for each mount a bitmap of the
 * nodes served, and a hash table of notes. It lives for one run on one machine, so numbers are in the machine's own
 * order; a ledger of another order fails its magic number.
 *
 * Invariants
 *  (1) all blocks are there from the start: a page of a hole that finds the disk full would be SIGBUS in our host
 *  (2) what was checked when it was opened is kept outside of the file, and only that is used later
 *  (3) a note's slot belongs to who put its key there (once, from 0); it is read only after its kind is there,
 *      which is written last
 */
#include "vfs/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"

#define MAGIC UINT64_C(0x52454744454c5331) /* "1SLEDGER" */

enum {
	VERSION = 1,
	MAX_MOUNTS = 4096,
	/* Slots looked at before a note counts as lost: with 4096 of them the table is then nearly full. */
	PROBES = 128,
};

#define MAX_NODES (UINT64_C(1) << 40)

struct header {
	_Atomic uint64_t magic; /* written last: a ledger half made is none */
	uint32_t version;
	uint32_t mounts;
	uint64_t size; /* of the file */
	uint64_t notes_at;
	uint32_t note_slots;
	uint32_t note_size;
	_Atomic uint64_t order;
	_Atomic uint64_t lost;
	uint64_t spare;
};

struct line {
	uint64_t nodes;
	uint64_t bitmap_at;
	_Atomic uint64_t tally[SLU_TALLIES];
	uint64_t spare[16 - 2 - SLU_TALLIES];
};

struct slot {
	_Atomic uint64_t key; /* 0: free */
	_Atomic uint64_t count;
	uint64_t order;
	_Atomic uint32_t what; /* 0: being written */
	int32_t err;
	int32_t pid;
	uint32_t spare[3];
	char program[16];
	char path[320];
	char detail[128];
};

_Static_assert(sizeof(struct header) == 64, "the file's layout");
_Static_assert(sizeof(struct line) == 128, "the file's layout");
_Static_assert(sizeof(struct slot) == 512, "the file's layout");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "atomics that work between processes");

/* Of a mount, as it was checked. */
struct mount {
	uint64_t nodes;
	_Atomic uint64_t *bitmap;
	_Atomic uint64_t *tally;
};

/* In memory of its own, not malloc's: a ledger may be opened before malloc may be called. */
struct slu_ledger {
	size_t own_size;
	void *map;
	size_t map_size;
	struct header *header;
	struct slot *slots;
	unsigned mounts;
	struct mount mount[];
};

/* ---- making and opening ---- */

static uint64_t bitmap_size(uint64_t nodes)
{
	return slu_up(slu_up(nodes, 64) / 8, 64); /* whole cache lines */
}

static void fill_in(uint8_t *map, const uint64_t *nodes, unsigned mounts, uint64_t notes_at, uint64_t size)
{
	struct header *h = (struct header *)map;
	struct line *line = (struct line *)(map + sizeof(*h));
	uint64_t at = sizeof(*h) + mounts * sizeof(*line);

	h->version = VERSION;
	h->mounts = mounts;
	h->size = size;
	h->notes_at = notes_at;
	h->note_slots = SLU_LEDGER_NOTES;
	h->note_size = sizeof(struct slot);
	for (unsigned k = 0; k < mounts; k++) {
		line[k].nodes = nodes[k];
		line[k].bitmap_at = at;
		at += bitmap_size(nodes[k]);
	}
	atomic_store_explicit(&h->magic, MAGIC, memory_order_release);
}

/* Gives the new file its blocks and its contents. */
static int fill_file(int fd, const uint64_t *nodes, unsigned mounts, uint64_t notes_at, uint64_t size)
{
	uint8_t *map;
	int r = posix_fallocate(fd, 0, (off_t)size);

	if (r > 0)
		return -r;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	fill_in(map, nodes, mounts, notes_at, size);
	(void)munmap(map, size);
	return 0;
}

int slu_ledger_create(const char *path, const uint64_t *nodes, unsigned mounts)
{
	uint64_t size = sizeof(struct header) + mounts * sizeof(struct line), notes_at;
	SLU_AUTO(fd) int fd = -1;
	int r;

	if (mounts > MAX_MOUNTS)
		return slu_fail(-E2BIG, "%u mounts are more than the %d that a ledger can have", mounts, MAX_MOUNTS);
	for (unsigned k = 0; k < mounts; k++) {
		if (nodes[k] > MAX_NODES)
			return slu_fail(-E2BIG, "a pack of that many files is too large for a ledger");
		size += bitmap_size(nodes[k]);
	}
	notes_at = slu_up(size, sizeof(struct slot));
	size = notes_at + SLU_LEDGER_NOTES * sizeof(struct slot);
	fd = slu_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return slu_fail_sys(fd, "cannot make the ledger '%s'", path);
	r = fill_file(fd, nodes, mounts, notes_at, size);
	if (r < 0) {
		(void)unlink(path);
		return slu_fail_sys(r, "cannot make the ledger '%s'", path);
	}
	return 0;
}

/* Whether @n bytes at @at lie in a file of @size bytes, aligned to @align. */
static bool inside(uint64_t at, uint64_t n, uint64_t size, uint64_t align)
{
	return at % align == 0 && at <= size && n <= size - at;
}

static bool header_is_sound(struct header *h, uint64_t size)
{
	return atomic_load_explicit(&h->magic, memory_order_acquire) == MAGIC && h->version == VERSION &&
	       h->size == size && h->note_slots == SLU_LEDGER_NOTES && h->note_size == sizeof(struct slot) &&
	       inside(sizeof(*h), h->mounts * sizeof(struct line), size, 1);
}

/* Takes the places over from the file into @l, each read once. */
static bool take_places(struct slu_ledger *l)
{
	struct line *line = (struct line *)(l->header + 1);
	uint8_t *map = l->map;
	uint64_t notes_at = *(volatile uint64_t *)&l->header->notes_at;

	if (!inside(notes_at, SLU_LEDGER_NOTES * sizeof(struct slot), l->map_size, 64))
		return false;
	l->slots = (struct slot *)(map + notes_at);
	for (unsigned k = 0; k < l->mounts; k++) {
		uint64_t nodes = *(volatile uint64_t *)&line[k].nodes, at = *(volatile uint64_t *)&line[k].bitmap_at;

		if (nodes > MAX_NODES || !inside(at, bitmap_size(nodes), l->map_size, 8))
			return false;
		l->mount[k] = (struct mount){ .nodes = nodes,
			                      .bitmap = (_Atomic uint64_t *)(map + at),
			                      .tally = line[k].tally };
	}
	return true;
}

/* Makes the handle for the ledger mapped at @map, which it owns afterwards. */
static int make_handle(void *map, size_t size, const char *path, struct slu_ledger **ret_ledger)
{
	struct header *h = map;
	unsigned mounts = header_is_sound(h, size) ? *(volatile uint32_t *)&h->mounts : MAX_MOUNTS + 1;
	size_t own_size = sizeof(struct slu_ledger) + mounts * sizeof(struct mount);
	struct slu_ledger *l;

	if (mounts > MAX_MOUNTS || mounts > size / sizeof(struct line))
		return slu_fail(-EBADMSG, "'%s' is not a ledger, or is damaged", path);
	l = mmap(NULL, own_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (l == MAP_FAILED)
		return slu_fail_memory();
	*l = (struct slu_ledger){ .own_size = own_size, .map = map, .map_size = size, .header = h, .mounts = mounts };
	if (!take_places(l)) {
		(void)munmap(l, own_size);
		return slu_fail(-EBADMSG, "the ledger '%s' is damaged", path);
	}
	*ret_ledger = l;
	return 0;
}

int slu_ledger_open(const char *path, struct slu_ledger **ret_ledger)
{
	SLU_AUTO(fd) int fd = slu_openat(AT_FDCWD, path, O_RDWR | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;
	void *map;
	int r;

	if (fd < 0)
		return slu_fail_sys(fd, "cannot open the ledger '%s'", path);
	if (fstat(fd, &st) < 0)
		return slu_fail_sys(-errno, "cannot look at the ledger '%s'", path);
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(struct header))
		return slu_fail(-EBADMSG, "'%s' is not a ledger, or is damaged", path);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return slu_fail_sys(-errno, "cannot map the ledger '%s'", path);
	r = make_handle(map, (size_t)st.st_size, path, ret_ledger);
	if (r < 0)
		(void)munmap(map, (size_t)st.st_size);
	return r;
}

void slu_ledger_close(struct slu_ledger *l)
{
	if (!l)
		return;
	(void)munmap(l->map, l->map_size);
	(void)munmap(l, l->own_size);
}

/* ---- writing ---- */

void slu_ledger_served(struct slu_ledger *l, unsigned mount, uint64_t node)
{
	_Atomic uint64_t *word;
	uint64_t bit = UINT64_C(1) << (node % 64);

	if (!l || mount >= l->mounts || node >= l->mount[mount].nodes)
		return;
	word = &l->mount[mount].bitmap[node / 64];
	/* Most files are opened more than once: do not take the line from the other processes for nothing. */
	if (!(atomic_load_explicit(word, memory_order_relaxed) & bit))
		atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
}

void slu_ledger_tally(struct slu_ledger *l, unsigned mount, enum slu_tally what, uint64_t n)
{
	if (!l || mount >= l->mounts || (unsigned)what >= SLU_TALLIES)
		return;
	atomic_fetch_add_explicit(&l->mount[mount].tally[what], n, memory_order_relaxed);
}

/* FNV-1a. A note says what it says; two that share all 64 bits would be counted as one. */
static uint64_t hash(uint64_t h, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * UINT64_C(0x100000001b3);
	return (h ^ 0xFF) * UINT64_C(0x100000001b3);
}

static size_t length(const char *s, size_t cap)
{
	return s ? strnlen(s, cap - 1) : 0;
}

static void fill_slot(struct slot *s, const struct slu_ledger_entry *e)
{
	s->err = e->err;
	s->pid = e->pid;
	s->order = e->order;
	memcpy(s->program, e->program, sizeof(s->program));
	memcpy(s->path, e->path, sizeof(s->path));
	memcpy(s->detail, e->detail, sizeof(s->detail));
	atomic_store_explicit(&s->what, e->what, memory_order_release);
}

/* Finds the slot of @key, or takes a free one for it. */
static void put(struct slu_ledger *l, uint64_t key, struct slu_ledger_entry *e)
{
	for (unsigned i = 0; i < PROBES; i++) {
		struct slot *s = &l->slots[(key + i) % SLU_LEDGER_NOTES];
		uint64_t there = atomic_load_explicit(&s->key, memory_order_relaxed);

		if (!there && atomic_compare_exchange_strong_explicit(&s->key, &there, key, memory_order_relaxed,
		                                                      memory_order_relaxed)) {
			atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
			e->order = atomic_fetch_add_explicit(&l->header->order, 1, memory_order_relaxed);
			fill_slot(s, e);
			return;
		}
		if (there == key) {
			atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
			return;
		}
	}
	atomic_fetch_add_explicit(&l->header->lost, 1, memory_order_relaxed);
}

void slu_ledger_note_of(struct slu_ledger *l, enum slu_note what, int err, int pid, const char *program,
                        const char *path, const char *detail)
{
	struct slu_ledger_entry e = { .what = what, .err = err, .pid = pid };
	size_t n, p, d;
	uint64_t key = UINT64_C(0xcbf29ce484222325) ^ (uint32_t)what ^ (uint64_t)(uint32_t)err << 32;

	if (!l || !what)
		return;
	n = length(program, sizeof(e.program));
	p = length(path, sizeof(e.path));
	d = length(detail, sizeof(e.detail));
	memcpy(e.program, program ? program : "", n);
	memcpy(e.path, path ? path : "", p);
	memcpy(e.detail, detail ? detail : "", d);
	key = hash(hash(hash(key, e.program, n), e.path, p), e.detail, d);
	put(l, key ? key : 1, &e);
}

void slu_ledger_note(struct slu_ledger *l, enum slu_note what, int err, const char *path, const char *detail)
{
	if (l)
		slu_ledger_note_of(l, what, err, getpid(), program_invocation_short_name, path, detail);
}

/* ---- reading ---- */

unsigned slu_ledger_mounts(const struct slu_ledger *l)
{
	return l->mounts;
}

uint64_t slu_ledger_nodes(const struct slu_ledger *l, unsigned mount)
{
	return mount < l->mounts ? l->mount[mount].nodes : 0;
}

uint64_t slu_ledger_total(const struct slu_ledger *l, unsigned mount, enum slu_tally what)
{
	if (mount >= l->mounts || (unsigned)what >= SLU_TALLIES)
		return 0;
	return atomic_load_explicit(&l->mount[mount].tally[what], memory_order_relaxed);
}

bool slu_ledger_was_served(const struct slu_ledger *l, unsigned mount, uint64_t node)
{
	if (mount >= l->mounts || node >= l->mount[mount].nodes)
		return false;
	return atomic_load_explicit(&l->mount[mount].bitmap[node / 64], memory_order_relaxed) >> (node % 64) & 1;
}

uint64_t slu_ledger_count_served(const struct slu_ledger *l, unsigned mount)
{
	uint64_t count = 0, nodes = slu_ledger_nodes(l, mount);

	for (uint64_t word = 0; word < slu_up(nodes, 64) / 64; word++)
		count += (uint64_t)__builtin_popcountll(
			atomic_load_explicit(&l->mount[mount].bitmap[word], memory_order_relaxed));
	return count;
}

bool slu_ledger_get_note(const struct slu_ledger *l, unsigned number, struct slu_ledger_entry *ret_entry)
{
	struct slot *s;
	uint32_t what;

	if (number >= SLU_LEDGER_NOTES)
		return false;
	s = &l->slots[number];
	what = atomic_load_explicit(&s->what, memory_order_acquire);
	if (!what)
		return false;
	*ret_entry = (struct slu_ledger_entry){
		.what = (enum slu_note)what,
		.err = s->err,
		.pid = s->pid,
		.order = s->order,
		.count = atomic_load_explicit(&s->count, memory_order_relaxed),
	};
	/* One byte less than there is: the last one of each stays 0 whatever is in the file. */
	memcpy(ret_entry->program, s->program, sizeof(s->program) - 1);
	memcpy(ret_entry->path, s->path, sizeof(s->path) - 1);
	memcpy(ret_entry->detail, s->detail, sizeof(s->detail) - 1);
	return true;
}

uint64_t slu_ledger_lost(const struct slu_ledger *l)
{
	uint64_t lost = atomic_load_explicit(&l->header->lost, memory_order_relaxed);

	for (unsigned i = 0; i < SLU_LEDGER_NOTES; i++)
		if (atomic_load_explicit(&l->slots[i].key, memory_order_relaxed) &&
		    !atomic_load_explicit(&l->slots[i].what, memory_order_acquire))
			lost += slu_max(atomic_load_explicit(&l->slots[i].count, memory_order_relaxed), 1);
	return lost;
}
