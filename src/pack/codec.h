/* SPDX-License-Identifier: MIT */
/*
 * Codecs: raw, LZ4 blocks, Zstandard frames, the last two with or without a dictionary.
 *
 * struct slu_dicts is shared by all threads and never changes once filled. Encoders and
 * decoders belong to one thread at a time. A decoder never writes more than it was told
 * and gives an error unless the result has exactly the size promised.
 */
#ifndef SLU_PACK_CODEC_H
#define SLU_PACK_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "pack/layout.h"

/* Dictionaries, numbered from 1. Their bytes belong to whoever filled it in. */
struct slu_dicts {
	unsigned count;
	struct slu_dict {
		const uint8_t *data;
		size_t len;
		_Atomic(void *) ddict; /* ZSTD_DDict, made at first use */
	} dict[SLU_MAX_DICTS + 1];
};

/* Takes the section's bytes apart; they must outlive @d. -EBADMSG */
SLU_MUST_USE int slu_dicts_init(struct slu_dicts *d, const uint8_t *section, size_t len);
void slu_dicts_done(struct slu_dicts *d);

/* ---- decoding --------------------------------------------------------------- */

struct slu_decoder; /* holds a scratch buffer too: see slu_decoder_scratch() */

SLU_MUST_USE int slu_decoder_new(struct slu_decoder **ret_decoder);
void slu_decoder_free(struct slu_decoder *d);

/* Room for @n bytes that belongs to the decoder. */
SLU_MUST_USE int slu_decoder_scratch(struct slu_decoder *d, size_t n, uint8_t **ret_room);

/* What decoding with @code needs is allocated here, so that slu_decode() allocates nothing. */
SLU_MUST_USE int slu_decoder_prepare(struct slu_decoder *d, struct slu_dicts *dicts, uint8_t code);

/* Decodes @n bytes into exactly @size at @out. -EBADMSG */
SLU_MUST_USE int slu_decode(struct slu_decoder *d, struct slu_dicts *dicts, uint8_t code, const uint8_t *in, size_t n,
                            uint8_t *out, size_t size);

/* ---- encoding --------------------------------------------------------------- */

/* How the samples of one kind are to be stored. */
struct slu_coding {
	uint8_t code;      /* codec and dictionary */
	int level;         /* of zstd */
	unsigned keep_div; /* keep the result only if it saves size / keep_div; 0: any byte */
};

/* A dictionary made ready for compression; shared by threads. */
struct slu_encoder_dict;
SLU_MUST_USE int slu_encoder_dict_new(const uint8_t *data, size_t len, uint8_t codec, int level,
                                      struct slu_encoder_dict **ret_dict);
void slu_encoder_dict_free(struct slu_encoder_dict *d);

struct slu_encoder;
SLU_MUST_USE int slu_encoder_new(struct slu_encoder **ret_encoder);
void slu_encoder_free(struct slu_encoder *e);

/*
 * Encodes @n bytes into @out, which has room for @n. Gives the length, or 0 if the result
 * is not worth keeping: then the sample stays raw.
 */
SLU_MUST_USE ssize_t slu_encode(struct slu_encoder *e, const struct slu_coding *c, const struct slu_encoder_dict *dict,
                                const uint8_t *in, size_t n, uint8_t *out);

#endif
