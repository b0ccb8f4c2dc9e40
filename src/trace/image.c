/* SPDX-License-Identifier: MIT */
/*
 * Logs into memory. See image.h.
 *
 * The image lies in anonymous memory of the log's size, of which only what has records is touched; a place in the log
 * is a place there. Files are read by pread(), never mapped: one that shrinks meanwhile would raise SIGBUS.
 */
#include "trace/image.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lz4.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/macros.h"

/* How far a slu_ref reaches. */
#define IMAGE_MAX ((uint64_t)8 << 32)

/* A packed piece that claims to be larger than this becomes lies: records of zeros, the best case, pack a thousandfold.
 */
#define PIECE_MAX(stored) ((1u << 20) + 4096 * (uint64_t)(stored))

static int damaged(const struct slu_image *img, const char *why, uint64_t at)
{
	return slu_fail(-EBADMSG, "%s is damaged: %s at byte %llu; remove it to report on the others", img->what, why,
	                (unsigned long long)at);
}

static int read_all(const struct slu_image *img, void *buf, size_t n, uint64_t at)
{
	ssize_t got = slu_pread(img->fd, buf, n, at);

	if (got < 0)
		return slu_fail_sys((int)got, "cannot read %s", img->what);
	if ((size_t)got < n)
		return damaged(img, "it is cut off", at + (uint64_t)got);
	return 0;
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

static int check_version(const struct slu_image *img, uint32_t version, uint32_t order)
{
	if (order == __builtin_bswap32(SLU_LOG_ORDER))
		return slu_fail(-EPROTONOSUPPORT,
		                "%s was recorded on a machine of the other byte order; report on it there", img->what);
	if (order != SLU_LOG_ORDER || version == 0)
		return damaged(img, "the header makes no sense", 8);
	if (version > SLU_LOG_VERSION)
		return slu_fail(-EPROTONOSUPPORT,
		                "%s is of version %u, newer than this sluice, which knows %d; update it", img->what,
		                version, SLU_LOG_VERSION);
	return 0;
}

static void end_strings(struct slu_log_header *h)
{
	h->host[sizeof(h->host) - 1] = 0;
	h->exe[sizeof(h->exe) - 1] = 0;
	h->command[sizeof(h->command) - 1] = 0;
	h->rank_from[sizeof(h->rank_from) - 1] = 0;
	h->directory[sizeof(h->directory) - 1] = 0;
}

static int check_header(struct slu_image *img)
{
	struct slu_log_header *h = &img->header;
	int r = check_version(img, h->version, h->order);

	if (r < 0)
		return r;
	if (memcmp(h->magic, SLU_LOG_MAGIC, 8) != 0 || h->state > SLU_LOG_EXECED || h->state < SLU_LOG_RUNNING ||
	    h->end < SLU_LOG_HEADER || h->end > IMAGE_MAX || h->end % 8)
		return damaged(img, "the header makes no sense", 0);
	end_strings(h);
	return 0;
}

static int add_chunk(struct slu_image *img, size_t *cap, const struct slu_image_chunk *c)
{
	if (img->n_chunks == *cap) {
		size_t want = *cap ? *cap * 2 : 64;
		struct slu_image_chunk *p = realloc(img->chunks, want * sizeof(*p));

		if (!p)
			return slu_fail_memory();
		img->chunks = p;
		*cap = want;
	}
	img->chunks[img->n_chunks++] = *c;
	return 0;
}

/* ---- raw logs ---------------------------------------------------------------------------------------------------- */

static int raw_chunks(struct slu_image *img)
{
	uint64_t at = SLU_LOG_HEADER;
	size_t cap = 0;

	while (at < img->header.end) {
		struct slu_log_chunk c;
		struct slu_image_chunk k;
		int r;

		if (img->header.end - at < sizeof(c))
			return damaged(img, "a chunk makes no sense", at);
		r = read_all(img, &c, sizeof(c), at);
		if (r < 0)
			return r;
		if (c.kind >= SLU_N_CHUNK_KINDS || c.bytes < sizeof(c) || c.bytes % 8 || c.bytes > img->header.end - at)
			return damaged(img, "a chunk makes no sense", at);
		k = (struct slu_image_chunk){ .at = at + sizeof(c),
			                      .bytes = slu_min(c.used, c.bytes - sizeof(c)),
			                      .kind = c.kind,
			                      .owner = c.owner,
			                      .file_at = at + sizeof(c) };
		k.stored = k.bytes;
		if (c.kind != SLU_CHUNK_DEAD && k.bytes && (r = add_chunk(img, &cap, &k)) < 0)
			return r;
		at += c.bytes;
	}
	return 0;
}

static int raw_open(struct slu_image *img, uint64_t size)
{
	int r = read_all(img, &img->header, sizeof(img->header), 0);

	if (r < 0)
		return r;
	r = check_header(img);
	if (r < 0)
		return r;
	/* The file is made long enough before a chunk is, so this one has lost its end. */
	if (size < img->header.end)
		return damaged(img, "it is cut off", size);
	img->bytes = img->header.end;
	return raw_chunks(img);
}

/* ---- packed logs ------------------------------------------------------------------------------------------------- */

/* The next piece's head, checked. *@at moves to its stored bytes. */
static int next_piece(const struct slu_image *img, uint64_t size, uint64_t *at, uint64_t least, struct slu_log_piece *p)
{
	int r;

	if (size - *at < sizeof(*p))
		return damaged(img, "it is cut off", size);
	r = read_all(img, p, sizeof(*p), *at);
	if (r < 0)
		return r;
	if (p->at < least || p->at % 8 || p->bytes > img->bytes || p->at > img->bytes - p->bytes || p->width == 0 ||
	    p->width > 4096 || (p->width > 1 && p->width % 4) || p->bytes > PIECE_MAX(p->stored))
		return damaged(img, "a piece makes no sense", *at);
	*at += sizeof(*p);
	if (p->stored > size - *at || slu_up(p->stored, 8) > size - *at)
		return damaged(img, "it is cut off", size);
	return 0;
}

/* Decodes stored bytes. @ret_bytes has room for @bytes. */
static int unpack_piece(const struct slu_image *img, const struct slu_image_chunk *c, uint8_t *ret_bytes)
{
	SLU_AUTO(mem) uint8_t *stored = malloc(c->stored + 1), *planes = NULL;
	int r;

	if (!stored)
		return slu_fail_memory();
	r = read_all(img, stored, c->stored, c->file_at);
	if (r < 0)
		return r;
	if (slu_hash64(stored, c->stored) != c->hash)
		return slu_fail(-EILSEQ,
		                "%s is damaged: the checksum at byte %llu is wrong; remove it to report on the others",
		                img->what, (unsigned long long)c->file_at);
	if (c->stored > INT_MAX || c->size > INT_MAX ||
	    (c->width > 1 ? c->size > slu_planes_bound(c->bytes, c->width) : c->size != c->bytes))
		return damaged(img, "a piece has another size", c->file_at);
	if (c->width > 1) {
		planes = malloc(c->size + 1);
		if (!planes)
			return slu_fail_memory();
	}
	if (LZ4_decompress_safe((const char *)stored, (char *)(planes ? planes : ret_bytes), (int)c->stored,
	                        (int)c->size) != (int)c->size ||
	    (planes && slu_planes_join(planes, c->size, c->bytes, c->width, ret_bytes) < 0))
		return damaged(img, "a piece cannot be decompressed", c->file_at);
	return 0;
}

static struct slu_image_chunk piece_chunk(const struct slu_log_piece *p, uint64_t at)
{
	return (struct slu_image_chunk){ .at = p->at,
		                         .bytes = p->bytes,
		                         .file_at = at,
		                         .stored = p->stored,
		                         .size = p->size,
		                         .width = p->width,
		                         .hash = p->hash };
}

/* A chunk is two pieces: its header, then its records. */
static int packed_chunk(struct slu_image *img, uint64_t size, uint64_t *at, uint64_t *least, size_t *cap)
{
	struct slu_log_piece p;
	struct slu_log_chunk c;
	struct slu_image_chunk k;
	int r = next_piece(img, size, at, *least, &p);

	if (r < 0)
		return r;
	if (p.bytes != sizeof(c) || p.width != 1)
		return damaged(img, "a piece is no chunk's header", *at);
	k = piece_chunk(&p, *at);
	r = unpack_piece(img, &k, (uint8_t *)&c);
	if (r < 0)
		return r;
	*at += slu_up(p.stored, 8);
	*least = p.at + sizeof(c);
	r = next_piece(img, size, at, *least, &p);
	if (r < 0)
		return r;
	if (p.at != *least || p.bytes != c.used || c.kind == SLU_CHUNK_DEAD || c.kind >= SLU_N_CHUNK_KINDS)
		return damaged(img, "a chunk makes no sense", *at);
	k = piece_chunk(&p, *at);
	k.kind = c.kind;
	k.owner = c.owner;
	*at += slu_up(p.stored, 8);
	*least = p.at + slu_up(p.bytes, 8);
	return add_chunk(img, cap, &k);
}

static int packed_open(struct slu_image *img, uint64_t size)
{
	struct slu_log_packed head;
	struct slu_log_piece p;
	struct slu_image_chunk k;
	uint64_t at = sizeof(head), least = 0;
	size_t cap = 0;
	int r = read_all(img, &head, sizeof(head), 0);

	if (r < 0)
		return r;
	r = check_version(img, head.version, head.order);
	if (r < 0)
		return r;
	if (head.image_bytes < SLU_LOG_HEADER || head.image_bytes > IMAGE_MAX || head.pieces % 2 == 0)
		return damaged(img, "the header makes no sense", 0);
	img->bytes = head.image_bytes;
	img->packed = true;
	r = next_piece(img, size, &at, 0, &p);
	if (r < 0)
		return r;
	if (p.at != 0 || p.bytes != sizeof(img->header))
		return damaged(img, "the first piece is no header", at);
	k = piece_chunk(&p, at);
	r = unpack_piece(img, &k, (uint8_t *)&img->header);
	if (r < 0)
		return r;
	r = check_header(img);
	at += slu_up(p.stored, 8);
	least = SLU_LOG_HEADER;
	for (uint64_t i = 1; r == 0 && i < head.pieces; i += 2)
		r = packed_chunk(img, size, &at, &least, &cap);
	return r;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

int64_t slu_image_read_chunk(const struct slu_image *img, const struct slu_image_chunk *c, void *buf)
{
	int r;

	if (img->packed)
		r = unpack_piece(img, c, buf);
	else
		r = read_all(img, buf, c->bytes, c->file_at);
	return r < 0 ? r : (int64_t)c->bytes;
}

static int load_records(struct slu_image *img)
{
	img->base = mmap(NULL, img->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (img->base == MAP_FAILED) {
		img->base = NULL;
		return slu_fail_memory();
	}
	for (size_t i = 0; i < img->n_chunks; i++) {
		struct slu_image_chunk *c = &img->chunks[i];
		int64_t r;

		if (c->kind == SLU_CHUNK_EVENTS)
			continue;
		r = slu_image_read_chunk(img, c, img->base + c->at);
		if (r < 0)
			return (int)r;
		c->loaded = true;
	}
	return 0;
}

static int open_either(struct slu_image *img, unsigned flags)
{
	struct stat st;
	char magic[8] = { 0 };
	ssize_t got;
	int r;

	if (fstat(img->fd, &st) < 0)
		return slu_fail_sys(-errno, "cannot look at %s", img->what);
	if (!S_ISREG(st.st_mode))
		return slu_fail(-EBADMSG, "%s is not a regular file, so no log of sluice trace", img->what);
	got = slu_pread(img->fd, magic, sizeof(magic), 0);
	if (got < 0)
		return slu_fail_sys((int)got, "cannot read %s", img->what);
	if (memcmp(magic, SLU_LOG_MAGIC, 8) == 0)
		r = raw_open(img, (uint64_t)st.st_size);
	else if (memcmp(magic, SLU_LOG_PACKED_MAGIC, 8) == 0)
		r = packed_open(img, (uint64_t)st.st_size);
	else
		r = slu_fail(-EBADMSG, "%s is not a log of sluice trace; remove it to report on the others", img->what);
	if (r == 0 && !(flags & SLU_IMAGE_NO_RECORDS))
		r = load_records(img);
	return r;
}

int slu_image_load_at(int dirfd, const char *name, unsigned flags, struct slu_image **ret_image)
{
	SLU_AUTO(image) struct slu_image *img = calloc(1, sizeof(*img));
	int r;

	if (!img)
		return slu_fail_memory();
	img->fd = -1;
	img->what = strdup(name);
	if (!img->what)
		return slu_fail_memory();
	img->fd = slu_openat(dirfd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (img->fd < 0)
		return slu_fail_sys(img->fd, "cannot open %s", name);
	r = open_either(img, flags);
	if (r < 0)
		return r;
	*ret_image = SLU_TAKE(img);
	return 0;
}

int slu_image_load(const char *path, struct slu_image **ret_image)
{
	return slu_image_load_at(AT_FDCWD, path, 0, ret_image);
}

void slu_image_free(struct slu_image *img)
{
	if (!img)
		return;
	if (img->base)
		(void)munmap(img->base, img->bytes); /* fails for no mapping of ours */
	slu_cleanup_fd(&img->fd);
	free(img->chunks);
	free(img->what);
	free(img);
}

/* ---- what is in it ----------------------------------------------------------------------------------------------- */

const void *slu_image_records(const struct slu_image *img, const struct slu_image_chunk *c, size_t width, size_t *ret_n)
{
	*ret_n = c->loaded ? c->bytes / width : 0;
	return img->base + c->at;
}

/* The chunk that holds the byte @at, or whose own header does; NULL: none that is in memory. */
static const struct slu_image_chunk *chunk_at(const struct slu_image *img, uint64_t at)
{
	size_t lo = 0, hi = img->n_chunks;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct slu_image_chunk *c = &img->chunks[mid];

		if (at < c->at - sizeof(struct slu_log_chunk))
			hi = mid;
		else if (at >= c->at + c->bytes)
			lo = mid + 1;
		else
			return c->loaded ? c : NULL;
	}
	return NULL;
}

const char *slu_image_name(const struct slu_image *img, slu_ref ref, size_t *ret_len)
{
	uint64_t at = (uint64_t)ref * 8;
	const struct slu_image_chunk *c = chunk_at(img, at);
	const struct slu_log_name *n;

	if (!ref || !c || c->kind != SLU_CHUNK_NAMES || at < c->at || c->at + c->bytes - at < sizeof(*n) + 1)
		return NULL;
	n = (const struct slu_log_name *)(img->base + at);
	if (n->len >= c->at + c->bytes - at - sizeof(*n) || n->bytes[n->len] || memchr(n->bytes, 0, n->len))
		return NULL;
	*ret_len = n->len;
	return n->bytes;
}

const struct slu_log_file *slu_image_file(const struct slu_image *img, slu_ref ref)
{
	uint64_t at = (uint64_t)ref * 8;
	const struct slu_image_chunk *c = ref ? chunk_at(img, at) : NULL;

	if (!c || c->kind != SLU_CHUNK_FILES || at < c->at || (at - c->at) % sizeof(struct slu_log_file) ||
	    c->at + c->bytes - at < sizeof(struct slu_log_file))
		return NULL;
	return (const struct slu_log_file *)(img->base + at);
}

static const void *owned(const struct slu_image *img, slu_ref ref, uint32_t kind, size_t width, size_t *ret_n)
{
	const struct slu_image_chunk *c = ref ? chunk_at(img, (uint64_t)ref * 8) : NULL;

	*ret_n = 0;
	return c && c->kind == kind ? slu_image_records(img, c, width, ret_n) : NULL;
}

const struct slu_log_run *slu_image_runs(const struct slu_image *img, const struct slu_log_thread *t, size_t *ret_n)
{
	return owned(img, t->runs, SLU_CHUNK_RUNS, sizeof(struct slu_log_run), ret_n);
}

const struct slu_log_span *slu_image_spans(const struct slu_image *img, const struct slu_log_thread *t, size_t *ret_n)
{
	return owned(img, t->spans, SLU_CHUNK_SPANS, sizeof(struct slu_log_span), ret_n);
}

int slu_image_events(const struct slu_image *img, slu_events_fn *fn, void *arg)
{
	SLU_AUTO(mem) uint8_t *buf = NULL;
	uint64_t room = 0;

	for (size_t i = 0; i < img->n_chunks; i++) {
		const struct slu_image_chunk *c = &img->chunks[i];
		int64_t r;

		if (c->kind != SLU_CHUNK_EVENTS)
			continue;
		if (c->bytes > room) {
			free(buf);
			room = c->bytes;
			buf = malloc(room);
			if (!buf)
				return slu_fail_memory();
		}
		r = slu_image_read_chunk(img, c, buf);
		if (r < 0)
			return (int)r;
		r = fn(arg, c->owner, (const struct slu_log_event *)buf, c->bytes / sizeof(struct slu_log_event));
		if (r < 0)
			return (int)r;
	}
	return 0;
}
