/* SPDX-License-Identifier: MIT */
/*
 * A log in memory, from either form (layout.h): whole if its process ended, was killed at any instruction, or still
 * runs. Nothing in a file is believed: what cannot be true is refused with a sentence, what a killed process may have
 * left half-made is left out and counted.
 *
 * The image is a copy; the file may change or go. Only events, of which there may be many, stay in the file until
 * slu_image_events() asks for them.
 */
#ifndef SLU_TRACE_IMAGE_H
#define SLU_TRACE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/layout.h"

struct slu_image_chunk {
	uint64_t at;    /* of its first record in the image */
	uint64_t bytes; /* of records */
	uint32_t kind;
	slu_ref owner;
	uint64_t file_at; /* where the records, or their packed form, are in the file */
	uint64_t stored;
	uint64_t size; /* of the packed form before lz4 */
	uint32_t width;
	bool loaded;
	uint64_t hash; /* of the packed form */
};

struct slu_image {
	struct slu_log_header header; /* its strings end */
	struct slu_image_chunk *chunks;
	size_t n_chunks;
	uint64_t cut; /* chunks or records that made no sense and were left out */
	bool packed;

	/* Of image.c. */
	int fd;
	char *what; /* the file's name, for sentences */
	uint8_t *base;
	uint64_t bytes;
};

enum slu_image_flags { SLU_IMAGE_NO_RECORDS = 1 }; /* the header and the table of chunks only */

/*
 * -ENOENT no such file | -EBADMSG not a log, or damaged | -EILSEQ a checksum is wrong |
 * -EPROTONOSUPPORT of a newer version, or another byte order
 */
SLU_MUST_USE int slu_image_load(const char *path, struct slu_image **ret_image);
SLU_MUST_USE int slu_image_load_at(int dirfd, const char *name, unsigned flags, struct slu_image **ret_image);

/* NULL is allowed. */
void slu_image_free(struct slu_image *img);
static inline void slu_cleanup_image(struct slu_image **img)
{
	slu_image_free(*img);
}

/* The records of a chunk that is in memory, at least @width bytes each; *@ret_n of them. */
const void *slu_image_records(const struct slu_image *img, const struct slu_image_chunk *c, size_t width,
                              size_t *ret_n);

/* The name at @ref, with a zero after its *@ret_len bytes; NULL if there is none. */
const char *slu_image_name(const struct slu_image *img, slu_ref ref, size_t *ret_len);

/* The record of the file at @ref, or NULL. */
const struct slu_log_file *slu_image_file(const struct slu_image *img, slu_ref ref);

/* The runs, or spans, of a thread: what it points to, if that is of the right kind. */
const struct slu_log_run *slu_image_runs(const struct slu_image *img, const struct slu_log_thread *t, size_t *ret_n);
const struct slu_log_span *slu_image_spans(const struct slu_image *img, const struct slu_log_thread *t, size_t *ret_n);

/* Copies the records of a chunk, chunk->bytes of them, out of the file to @buf; fewer may be left in a cut-off live
 * log: their number, or a negative errno. */
SLU_MUST_USE int64_t slu_image_read_chunk(const struct slu_image *img, const struct slu_image_chunk *c, void *buf);

/* Gives all events, chunk after chunk, as they lie in the file; @owner is the thread's place. A negative result of @fn
 * stops. */
typedef int slu_events_fn(void *arg, slu_ref owner, const struct slu_log_event *events, size_t n);
SLU_MUST_USE int slu_image_events(const struct slu_image *img, slu_events_fn *fn, void *arg);

/* ---- planes.c ---- */

/*
 * The planes of records, as a piece holds them (layout.h), and back: @bytes of records of @width each; the first
 * @zero_words of each are taken for 0. Planes have room for slu_planes_bound(); their size is what splitting gives, and
 * joining refuses another with -EBADMSG.
 */
size_t slu_planes_bound(size_t bytes, size_t width);
size_t slu_planes_split(const uint8_t *records, size_t bytes, size_t width, size_t zero_words, uint8_t *ret_planes);
SLU_MUST_USE int slu_planes_join(const uint8_t *planes, size_t size, size_t bytes, size_t width, uint8_t *ret_records);

/* ---- pack.c ---- */

/*
 * Makes the log @name in the directory a packed one, in its place. Nobody may be writing to it any more. A packed one
 * stays as it is.
 */
SLU_MUST_USE int slu_log_pack(int dirfd, const char *name);

#endif
