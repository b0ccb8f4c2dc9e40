/* SPDX-License-Identifier: MIT */
/*
 * The log's file: it is made, grows, and is left. See record.h.
 *
 * The addresses for all that it may become are reserved at once, and the file is mapped into them piece by piece: a
 * place in the log is a constant distance from `base`, and nothing ever moves.
 */
#include "trace/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "trace/alive.h"

enum { FIRST_PIECE = 128 << 10, LARGEST_PIECE = 512 << 10, MAX_PARTS = 100000 };

void slu_rec_lock(_Atomic uint32_t *lock)
{
	while (atomic_exchange_explicit(lock, 1, memory_order_acquire))
		syscall(SYS_sched_yield);
}

void slu_rec_unlock(_Atomic uint32_t *lock)
{
	atomic_store_explicit(lock, 0, memory_order_release);
}

void *slu_rec_memory(uint64_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int slu_rec_start(struct slu_recorder *r, const char *dir, bool events, uint64_t bound)
{
	size_t n = strlen(dir);

	if (n == 0 || n >= sizeof(r->dir) || dir[0] != '/')
		return -EINVAL;
	memcpy(r->dir, dir, n + 1);
	r->events = events;
	r->bound = bound ? slu_max(bound, SLU_TRACE_LEAST_BOUND) : SLU_TRACE_DEFAULT_BOUND;
	r->fds = slu_rec_memory(sizeof(*r->fds) * SLU_TRACE_FDS);
	r->maps = slu_rec_memory(sizeof(*r->maps) * SLU_TRACE_MAPS);
	r->thread_pool = slu_rec_memory(sizeof(*r->thread_pool) * (SLU_TRACE_OWN_THREADS + 1));
	if (!r->fds || !r->maps || !r->thread_pool)
		return -ENOMEM;
	atomic_store(&r->generation, 1);
	atomic_store(&r->cwd_version, 1);
	atomic_store(&r->on, true);
	return 0;
}

void slu_rec_forked(struct slu_recorder *r, struct slu_rec_tls *tls)
{
	char *base = atomic_load(&r->base);

	*tls = (struct slu_rec_tls){ .thread = NULL };
	memset(&r->clock, 0, sizeof(r->clock)); /* another thread may have been changing it */
	if (!atomic_load(&r->on))
		return;
	atomic_store(&r->lock, 0);
	atomic_store(&r->others_lock, 0);
	atomic_fetch_add(&r->generation, 1);
	if (!base)
		return; /* the parent had none either; what it inherited itself is still in `parent` */
	r->parent = base;
	r->parent_reserved = r->reserved;
	slu_rec_files_done(r);
	memset(r->thread_pool, 0, sizeof(*r->thread_pool) * (r->n_pool + 1));
	r->n_pool = 0;
	r->others = NULL;
	r->files = r->names = r->spare_files = r->spare_names = NULL;
	r->full = r->stuck = false;
	r->mapped = r->reserved = 0;
	atomic_store(&r->n_span_names, 0);
	atomic_store(&r->base, NULL);
}

/* ---- growing ---------------------------------------------------------------------------------------------------- */

/*
 * Makes [from, from + n) of the file, with the room that it needs on the disk: 0 or a negative errno. Written and not
 * asked for with fallocate(): pages that are in memory already take half the time to touch (measured on ext4).
 */
static int allocate(int fd, uint64_t from, uint64_t n)
{
	static char zeros[64 << 10]; /* never written */

	for (uint64_t at = from; at < from + n;) {
		ssize_t done = pwrite(fd, zeros, slu_min(sizeof(zeros), from + n - at), (off_t)at);
		if (done <= 0 && errno != EINTR)
			return done < 0 && errno ? -errno : -ENOSPC;
		at += done > 0 ? (uint64_t)done : 0;
	}
	return 0;
}

static struct slu_log_header *header_of(struct slu_recorder *r)
{
	return (struct slu_log_header *)atomic_load_explicit(&r->base, memory_order_relaxed);
}

/* Maps at least @need more bytes, from @fd. */
static int map_more(struct slu_recorder *r, char *base, int fd, uint64_t need)
{
	uint64_t step = slu_min(slu_max(r->mapped, FIRST_PIECE), LARGEST_PIECE);
	int err;

	step = slu_up(slu_max(step, need), FIRST_PIECE);
	if (r->mapped + step > r->reserved)
		return -EFBIG;
	err = allocate(fd, r->mapped, step);
	if (err < 0)
		return err;
	if (mmap(base + r->mapped, step, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)r->mapped) ==
	    MAP_FAILED)
		return -errno;
	r->mapped += step;
	return 0;
}

static bool grow(struct slu_recorder *r, uint64_t need)
{
	struct slu_log_header *h = header_of(r);
	int fd, err;

	if (r->stuck)
		return false;
	fd = open(r->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	err = fd < 0 ? -errno : map_more(r, (char *)h, fd, need);
	if (fd >= 0)
		close(fd);
	if (err == 0)
		return true;
	r->stuck = r->full = true;
	h->flags |= err == -EFBIG ? SLU_LOG_FULL : SLU_LOG_FULL | SLU_LOG_NO_SPACE;
	return false;
}

struct slu_log_chunk *slu_rec_chunk(struct slu_recorder *r, enum slu_log_kind kind, uint64_t bytes, slu_ref owner)
{
	struct slu_log_header *h = header_of(r);
	uint64_t at = h->end, whole = slu_up(sizeof(struct slu_log_chunk) + bytes, 16);
	struct slu_log_chunk *c = (struct slu_log_chunk *)((char *)h + at);

	if (at + whole > r->mapped && !grow(r, at + whole - r->mapped))
		return NULL;
	*c = (struct slu_log_chunk){ .kind = kind, .owner = owner, .bytes = whole };
	__atomic_store_n(&h->end, at + whole, __ATOMIC_RELEASE);
	return c;
}

/* ---- beginning -------------------------------------------------------------------------------------------------- */

static void copy_text(char *to, size_t room, const char *from)
{
	size_t n = strnlen(from, room - 1);

	memcpy(to, from, n);
	to[n] = 0;
}

/* The rank, from the first launcher that tells one. */
static void find_rank(struct slu_log_header *h)
{
	static const char *const vars[][3] = {
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK" },
		{ "PMIX_RANK", "PMIX_SIZE", "PMIX_LOCAL_RANK" },
		{ "PMI_RANK", "PMI_SIZE", "PMI_LOCAL_RANK" },
		{ "RANK", "WORLD_SIZE", "LOCAL_RANK" }, /* torchrun; inside a Slurm task its ranks are finer */
		{ "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID" },
	};
	int32_t *const to[3] = { &h->rank, &h->world, &h->local_rank };

	h->rank = h->world = h->local_rank = -1;
	for (size_t i = 0; i < SLU_ARRAY_SIZE(vars); i++) {
		const char *v = getenv(vars[i][0]);
		if (!v || *v < '0' || *v > '9')
			continue;
		copy_text(h->rank_from, sizeof(h->rank_from), vars[i][0]);
		for (int k = 0; k < 3; k++)
			if ((v = getenv(vars[i][k])) && *v >= '0' && *v <= '9')
				*to[k] = (int32_t)strtol(v, NULL, 10);
		return;
	}
}

static void describe(struct slu_recorder *r, struct slu_log_header *h, unsigned part)
{
	struct timespec t;
	struct utsname u;
	ssize_t n;

	h->version = SLU_LOG_VERSION;
	h->order = SLU_LOG_ORDER;
	h->state = SLU_LOG_RUNNING;
	h->flags = r->events ? SLU_LOG_EVENTS : 0;
	h->end = SLU_LOG_HEADER;
	h->bound = r->bound;
	h->pid = (uint32_t)syscall(SYS_getpid);
	h->ppid = (uint32_t)syscall(SYS_getppid);
	h->part = part;
	find_rank(h);
	h->begin = h->last = slu_now_ns();
	if (clock_gettime(CLOCK_REALTIME, &t) == 0)
		h->realtime_offset = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec - (int64_t)h->begin;
	h->start_ticks = slu_start_ticks(0);
	slu_boot_id(h->boot_id);
	if (uname(&u) == 0)
		copy_text(h->host, sizeof(h->host), u.nodename);
	n = syscall(SYS_readlink, "/proc/self/exe", h->exe, sizeof(h->exe) - 1);
	h->exe[n < 0 ? 0 : n] = 0;
	n = slu_read_small("/proc/self/cmdline", h->command, sizeof(h->command));
	for (ssize_t i = 0; i + 1 < n; i++)
		if (!h->command[i])
			h->command[i] = ' ';
	if (syscall(SYS_getcwd, h->directory, sizeof(h->directory)) < 0)
		h->directory[0] = 0;
	memcpy(h->magic, SLU_LOG_MAGIC, sizeof(h->magic));
}

/* A new file DIR/HOST-PID-PART.log, of which @ret_part is the last part. */
static int create(struct slu_recorder *r, unsigned *ret_part)
{
	struct utsname u;
	int fd;

	if (uname(&u) < 0)
		u.nodename[0] = 0;
	for (char *p = u.nodename; *p; p++)
		if (*p == '/')
			*p = '_';
	for (unsigned part = 0; part < MAX_PARTS; part++) {
		(void)snprintf(r->path, sizeof(r->path), "%s/%.64s-%ld-%u.log", r->dir, u.nodename, syscall(SYS_getpid),
		               part);
		fd = open(r->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (fd >= 0 || errno != EEXIST) {
			*ret_part = part;
			return fd;
		}
	}
	return -1;
}

/* Addresses for the whole log; fewer where the program's own limit on them is near. */
static char *reserve(struct slu_recorder *r)
{
	for (r->reserved = slu_up(r->bound, FIRST_PIECE); r->reserved >= SLU_TRACE_LEAST_BOUND; r->reserved /= 2) {
		char *p = mmap(NULL, r->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p != MAP_FAILED)
			return p;
	}
	return NULL;
}

bool slu_rec_open(struct slu_recorder *r)
{
	char *base, *parent = r->parent;
	unsigned part;
	int fd;

	if (atomic_load(&r->base))
		return true;
	r->mapped = 0;
	r->full = r->stuck = false;
	fd = create(r, &part);
	base = fd < 0 ? NULL : reserve(r);
	if (!base || map_more(r, base, fd, FIRST_PIECE) < 0) {
		if (base)
			munmap(base, r->reserved);
		if (fd >= 0) {
			syscall(SYS_unlink, r->path);
			close(fd);
		}
		atomic_store(&r->on, false); /* nobody to tell here: `sluice trace` says that a process left no log */
		return false;
	}
	close(fd);
	/* The index holds places in units of 16 bytes, and what bits are left of the hash: see files.c. */
	r->place_bits = 64 - (uint32_t)__builtin_clzll(r->reserved / 16);
	describe(r, (struct slu_log_header *)base, part);
	atomic_store(&r->base, base);
	if (!slu_rec_files_start(r)) {
		atomic_store(&r->on, false);
		return false;
	}
	if (parent) {
		slu_rec_adopt(r, parent);
		munmap(parent, r->parent_reserved);
		r->parent = NULL;
	}
	return true;
}

void slu_rec_state(struct slu_recorder *r, enum slu_log_state state)
{
	struct slu_log_header *h = header_of(r);

	if (!h)
		return;
	if (state != SLU_LOG_RUNNING)
		slu_rec_look_at_maps(r);
	h->finish = state == SLU_LOG_RUNNING ? 0 : slu_now_ns();
	h->state = state;
}
