/* SPDX-License-Identifier: MIT */
/*
 * Packing a log when all is over: see layout.h for the form.
 *
 * This is part of what tracing costs, so it must be fast: chunks go one by one through a buffer, and of the planes,
 * most of which are nothing but zeros, only the others are made and compressed.
 */
#include "trace/image.h"

#include <errno.h>
#include <fcntl.h>
#include <lz4.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/macros.h"

/* Written out at this size, to bound memory. */
enum { FLUSH = 4 << 20 };

static size_t record_width(uint32_t kind)
{
	switch (kind) {
	case SLU_CHUNK_FILES:
		return sizeof(struct slu_log_file);
	case SLU_CHUNK_RUNS:
		return sizeof(struct slu_log_run);
	case SLU_CHUNK_SPANS:
		return sizeof(struct slu_log_span);
	case SLU_CHUNK_EVENTS:
		return sizeof(struct slu_log_event);
	default:
		return 1;
	}
}

struct packing {
	struct slu_buf out, raw, planes;
	int fd;
	uint64_t written;
	const char *name;
};

static int flush(struct packing *p)
{
	int r = slu_pwrite(p->fd, p->out.data, p->out.len, p->written, p->name);

	p->written += p->out.len;
	p->out.len = 0;
	return r;
}

/* Appends a piece of @bytes: @planes, of @size, is what is compressed. */
static int put_piece(struct packing *p, uint64_t at, size_t bytes, size_t width, const void *planes, size_t size)
{
	struct slu_log_piece piece = { .at = at, .bytes = bytes, .width = (uint32_t)width };
	size_t head = p->out.len, n;
	uint8_t *stored;
	int bound, r;

	if (size > LZ4_MAX_INPUT_SIZE)
		return slu_fail(-EFBIG, "a chunk of the log %s is too large to be packed", p->name);
	bound = LZ4_compressBound((int)size);
	r = slu_buf_reserve(&p->out, sizeof(piece) + (size_t)bound + 8);
	if (r < 0)
		return r;
	stored = p->out.data + head + sizeof(piece);
	n = (size_t)LZ4_compress_default(planes, (char *)stored, (int)size, bound);
	if (n == 0)
		return slu_fail(-EIO, "cannot compress the log %s", p->name);
	piece.size = size;
	piece.stored = n;
	piece.hash = slu_hash64(stored, n);
	memcpy(p->out.data + head, &piece, sizeof(piece));
	memset(stored + n, 0, slu_up(n, 8) - n);
	p->out.len = head + sizeof(piece) + slu_up(n, 8);
	return p->out.len >= FLUSH ? flush(p) : 0;
}

static int put_chunk(struct packing *p, const struct slu_image *img, const struct slu_image_chunk *c)
{
	struct slu_log_chunk head = { .kind = c->kind, .owner = c->owner, .used = c->bytes };
	size_t width = record_width(c->kind), size = c->bytes;
	const uint8_t *planes;
	int64_t r;

	head.bytes = sizeof(head) + slu_up(c->bytes, 8);
	p->raw.len = p->planes.len = 0;
	if ((r = slu_buf_reserve(&p->raw, c->bytes)) < 0 || (r = slu_image_read_chunk(img, c, p->raw.data)) < 0)
		return (int)r;
	planes = p->raw.data;
	if (width > 1) {
		r = slu_buf_reserve(&p->planes, slu_planes_bound(c->bytes, width));
		if (r < 0)
			return (int)r;
		/* The hash of a name follows from it, and does not compress. */
		size = slu_planes_split(p->raw.data, c->bytes, width, c->kind == SLU_CHUNK_FILES ? 2 : 0,
		                        p->planes.data);
		planes = p->planes.data;
	}
	r = put_piece(p, c->at - sizeof(head), sizeof(head), 1, &head, sizeof(head));
	return r < 0 ? (int)r : put_piece(p, c->at, c->bytes, width, planes, size);
}

static int put_all(struct packing *p, const struct slu_image *img)
{
	struct slu_log_packed head = { .version = SLU_LOG_VERSION,
		                       .order = SLU_LOG_ORDER,
		                       .image_bytes = img->bytes,
		                       .pieces = 1 + 2 * (uint64_t)img->n_chunks };
	int r;

	memcpy(head.magic, SLU_LOG_PACKED_MAGIC, sizeof(head.magic));
	r = slu_buf_add(&p->out, &head, sizeof(head));
	if (r == 0)
		r = put_piece(p, 0, sizeof(img->header), 1, &img->header, sizeof(img->header));
	for (size_t i = 0; r == 0 && i < img->n_chunks; i++)
		r = put_chunk(p, img, &img->chunks[i]);
	return r < 0 ? r : flush(p);
}

static int pack_to(int dirfd, const char *temp, const char *name, const struct slu_image *img)
{
	struct packing p = { .name = name };
	int r;

	p.fd = slu_openat(dirfd, temp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
	if (p.fd < 0)
		return slu_fail_sys(p.fd, "cannot make %s", temp);
	r = put_all(&p, img);
	slu_buf_done(&p.out);
	slu_buf_done(&p.raw);
	slu_buf_done(&p.planes);
	if (close(p.fd) < 0 && r == 0)
		r = slu_fail_sys(-errno, "cannot write %s", temp);
	if (r == 0 && renameat(dirfd, temp, dirfd, name) < 0)
		r = slu_fail_sys(-errno, "cannot rename %s to %s", temp, name);
	if (r < 0)
		(void)unlinkat(dirfd, temp, 0); /* the log itself is still there */
	return r;
}

int slu_log_pack(int dirfd, const char *name)
{
	SLU_AUTO(image) struct slu_image *img = NULL;
	char temp[300];
	int r = slu_image_load_at(dirfd, name, SLU_IMAGE_NO_RECORDS, &img);

	if (r < 0 || img->packed)
		return r;
	if (snprintf(temp, sizeof(temp), ".%s.packing", name) >= (int)sizeof(temp))
		return slu_fail(-ENAMETOOLONG, "the name of the log %s is too long", name);
	return pack_to(dirfd, temp, name, img);
}
