/* SPDX-License-Identifier: MIT */
/*
 * An open pack, inside. The public face is sluice/pack.h.
 *
 * Invariants
 *  (1) all members are set at open and never change after, except the atomics
 *  (2) mapped bytes are touched only inside slu_pack_guard(), and bytes of the index only
 *      after slu_pack_at() has checked their range and their blocks' checksums
 *  (3) inside the guard nothing is allocated, opened or locked: what is missing is told
 *      by -EAGAIN, made outside, and the call is tried again
 */
#ifndef SLU_PACK_PACK_H
#define SLU_PACK_PACK_H

#include <sluice/pack.h>
#include <stdatomic.h>

#include "base/guard.h"
#include "base/macros.h"
#include "pack/codec.h"
#include "pack/layout.h"
#include "pack/lookup.h"
#include "pack/tree.h"
#include "source/listing.h"

struct slu_shard_map {
	const uint8_t *data; /* the whole file, or NULL with SLU_IO_PREAD */
	uint64_t len;
	int fd; /* or -1 when mapped */
};

struct slu_shard_place {
	uint64_t first, last; /* samples */
	uint64_t data_end, file_bytes, catalog_hash;
	_Atomic(struct slu_shard_map *) map; /* opened at first touch */
};

struct slu_builtin_column {
	uint64_t offset; /* in the file */
	uint64_t length;
	int64_t base;
	unsigned bits;
};

enum { SLU_DECODER_POOL = 16 };

struct slu_pack {
	char *path; /* as given, for messages */
	int dirfd;
	bool pread, verify_once;
	const uint8_t *file; /* the index: mapped, or read into memory with SLU_IO_PREAD */
	uint64_t file_bytes;
	struct slu_tree tree;
	uint8_t identity[16];
	uint64_t ndirs, nsamples, nlinks, nodes, nattrs;
	uint64_t raw_bytes, stored_bytes, optional;
	uint32_t minor;
	struct slu_span {
		uint64_t at, len;
	} section[SLU_S_COUNT];
	struct slu_lookup lookup;
	struct slu_shard_place *shards;
	uint32_t nshards;
	struct slu_builtin_column attr, mtime;
	uint8_t *dict_bytes, *label_names, *notes;
	uint32_t *label_at; /* where each label's name begins */
	uint32_t nlabels;
	struct slu_dicts dicts;
	struct slu_schema schema;
	bool has_schema;
	_Atomic(_Atomic uint64_t *) seen; /* a bit a sample found sound; made when first needed */
	_Atomic(struct slu_decoder *) decoders[SLU_DECODER_POOL];
};

/* Runs @fn where mapped bytes may be touched. A fault gives -EIO with a sentence. */
SLU_MUST_USE int slu_pack_guard(struct slu_pack *p, slu_guarded_fn *fn, void *arg);

/* The address of @n checked bytes (n > 0) at @offset in a section. Guarded callers only. */
static inline int slu_pack_at(struct slu_pack *p, enum slu_section s, uint64_t offset, uint64_t n,
                              const uint8_t **ret_at)
{
	const struct slu_span *span = &p->section[s];

	*ret_at = p->file + span->at;
	if (SLU_UNLIKELY(offset > span->len || n > span->len - offset))
		return slu_fail(-EBADMSG, "%s: the index points outside its own section %d", p->path, (int)s);
	*ret_at += offset;
	return slu_tree_touch(&p->tree, span->at + offset, n);
}

/* A decoder for one call; slu_pack_put_decoder() gives it back. */
SLU_MUST_USE int slu_pack_get_decoder(struct slu_pack *p, struct slu_decoder **ret_decoder);
void slu_pack_put_decoder(struct slu_pack *p, struct slu_decoder *d);

/* Some entries of a directory, with their names. */
enum { SLU_LIST_ENTRIES = 64 };

struct slu_list {
	unsigned n;
	struct slu_list_entry {
		uint64_t node;
		enum slu_kind kind;
		size_t len;
		const char *name; /* with a final NUL, in names */
	} entries[SLU_LIST_ENTRIES];
	char names[4096];
};

/* The entries of @dir from @position on, as many as there is room for; none at the end. */
SLU_MUST_USE int slu_pack_list(struct slu_pack *p, uint64_t dir, uint64_t position, struct slu_list *ret_list);

/* Sample @i, which is at @s, will be looked at and read very soon: asks memory for it. */
void slu_pack_soon(struct slu_pack *p, uint64_t i, const struct slu_sample *s);

/* A new descriptor of shard @k, which has been found to be this pack's; or a negative errno. */
SLU_MUST_USE int slu_pack_shard_fd(struct slu_pack *p, uint32_t k);

/* Opens shard @k if need be. */
SLU_MUST_USE int slu_pack_open_shard(struct slu_pack *p, uint32_t k, struct slu_shard_map **ret_map);

/* Where sample @i is; guarded callers only. */
SLU_MUST_USE int slu_pack_locate(struct slu_pack *p, uint64_t i, struct slu_sample *ret_sample);

/* An attribute by number; guarded callers only. */
SLU_MUST_USE int slu_pack_attr(struct slu_pack *p, uint64_t number, uint32_t ret_attr[3]);

#endif
