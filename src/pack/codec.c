/* SPDX-License-Identifier: MIT */
/* Codecs. See codec.h. */
#include "pack/codec.h"

#include <errno.h>
#include <lz4.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/le.h"
#include "base/macros.h"
#include <sluice/pack.h>

enum { LZ4_REACH = 65536 }; /* how far back an LZ4 match may point */

int slu_dicts_init(struct slu_dicts *d, const uint8_t *section, size_t len)
{
	uint32_t count;
	uint64_t at;

	memset(d, 0, sizeof(*d));
	if (!len)
		return 0;
	count = len >= 8 ? slu_get32(section) : 0;
	at = 8 + ((uint64_t)count + 1) * 8;
	if (!count || count > SLU_MAX_DICTS || slu_get32(section + 4) || at > len || slu_get64(section + 8) != at)
		return slu_fail(-EBADMSG, "the dictionaries are not valid");
	for (uint32_t i = 0; i < count; i++) {
		uint64_t end = slu_get64(section + 16 + 8 * (size_t)i);
		if (end > len || end < at || end - at < 8 || end - at > SLU_MAX_DICT_BYTES)
			return slu_fail(-EBADMSG, "dictionary %u is not valid", i + 1);
		d->dict[i + 1].data = section + at;
		d->dict[i + 1].len = end - at;
		at = end;
	}
	if (at != len)
		return slu_fail(-EBADMSG, "the dictionaries are not valid");
	d->count = count;
	return 0;
}

void slu_dicts_done(struct slu_dicts *d)
{
	for (unsigned i = 1; i <= d->count; i++)
		ZSTD_freeDDict(d->dict[i].ddict);
	d->count = 0;
}

/* ---- decoding --------------------------------------------------------------- */

struct slu_decoder {
	ZSTD_DCtx *zstd;
	uint8_t *room;
	size_t room_len;
};

int slu_decoder_new(struct slu_decoder **ret_decoder)
{
	struct slu_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return slu_fail_memory();
	*ret_decoder = d;
	return 0;
}

void slu_decoder_free(struct slu_decoder *d)
{
	if (!d)
		return;
	ZSTD_freeDCtx(d->zstd);
	free(d->room);
	free(d);
}

int slu_decoder_scratch(struct slu_decoder *d, size_t n, uint8_t **ret_room)
{
	if (n > d->room_len) {
		size_t len = slu_up(n + n / 4, 4096);
		uint8_t *room = malloc(len);
		if (!room)
			return slu_fail_memory();
		free(d->room);
		d->room = room;
		d->room_len = len;
	}
	*ret_room = d->room;
	return 0;
}

static int prepare_ddict(struct slu_dict *d)
{
	void *none = NULL;
	ZSTD_DDict *dd;

	if (atomic_load_explicit(&d->ddict, memory_order_acquire))
		return 0;
	dd = ZSTD_createDDict(d->data, d->len);
	if (!dd)
		return slu_fail(-EBADMSG, "a dictionary cannot be used");
	/* Another thread may have been faster: its dictionary is as good. */
	if (!atomic_compare_exchange_strong_explicit(&d->ddict, &none, dd, memory_order_acq_rel, memory_order_acquire))
		ZSTD_freeDDict(dd);
	return 0;
}

int slu_decoder_prepare(struct slu_decoder *d, struct slu_dicts *dicts, uint8_t code)
{
	unsigned dict = slu_code_dict(code);

	switch (slu_code_codec(code)) {
	case SLU_CODEC_RAW:
		return dict ? slu_fail(-EBADMSG, "a raw sample has a dictionary") : 0;
	case SLU_CODEC_LZ4:
		break;
	case SLU_CODEC_ZSTD:
		if (!d->zstd && !(d->zstd = ZSTD_createDCtx()))
			return slu_fail_memory();
		break;
	default:
		return slu_fail(-EBADMSG, "a sample has codec %u, which does not exist", slu_code_codec(code));
	}
	if (dict > dicts->count)
		return slu_fail(-EBADMSG, "a sample wants dictionary %u of %u", dict, dicts->count);
	return dict && slu_code_codec(code) == SLU_CODEC_ZSTD ? prepare_ddict(&dicts->dict[dict]) : 0;
}

static bool decode_lz4(const struct slu_dict *dict, const uint8_t *in, size_t n, uint8_t *out, size_t size)
{
	size_t len = slu_min(dict->len, LZ4_REACH);
	int r;

	if (n > INT32_MAX || size > INT32_MAX)
		return false;
	if (len)
		r = LZ4_decompress_safe_usingDict((const char *)in, (char *)out, (int)n, (int)size,
		                                  (const char *)dict->data + (dict->len - len), (int)len);
	else
		r = LZ4_decompress_safe((const char *)in, (char *)out, (int)n, (int)size);
	return r >= 0 && (size_t)r == size;
}

/* One frame and nothing else: the library would take several, and skip what is no data. */
static bool is_one_frame(const uint8_t *in, size_t n)
{
	return n >= 4 && slu_get32(in) == ZSTD_MAGICNUMBER && ZSTD_findFrameCompressedSize(in, n) == n;
}

/* 1, 0 or -ENOMEM: no memory is no damage. */
static int decode_zstd(struct slu_decoder *d, const struct slu_dict *dict, const uint8_t *in, size_t n, uint8_t *out,
                       size_t size)
{
	size_t len;

	if (!is_one_frame(in, n))
		return 0;
	if (dict->len)
		len = ZSTD_decompress_usingDDict(d->zstd, out, size, in, n, dict->ddict);
	else
		len = ZSTD_decompressDCtx(d->zstd, out, size, in, n);
	if (ZSTD_getErrorCode(len) == ZSTD_error_memory_allocation)
		return slu_fail_memory();
	return len == size;
}

int slu_decode(struct slu_decoder *d, struct slu_dicts *dicts, uint8_t code, const uint8_t *in, size_t n, uint8_t *out,
               size_t size)
{
	struct slu_dict *dict = &dicts->dict[slu_code_dict(code)];
	int ok = 0;

	if (size == 0 || size > SLU_COMPRESS_MAX || slu_code_dict(code) > dicts->count)
		return slu_fail(-EBADMSG, "a compressed sample is not valid"); /* nor is any such ever written */
	if (slu_code_codec(code) == SLU_CODEC_LZ4)
		ok = decode_lz4(dict, in, n, out, size);
	else if (slu_code_codec(code) == SLU_CODEC_ZSTD && d->zstd && (!dict->len || dict->ddict))
		ok = decode_zstd(d, dict, in, n, out, size);
	if (ok < 0)
		return ok;
	return ok ? 0 : slu_fail(-EBADMSG, "compressed bytes do not decode to the promised size");
}

/* ---- encoding --------------------------------------------------------------- */

struct slu_encoder_dict {
	LZ4_stream_t *lz4; /* with the dictionary loaded; copied for every sample */
	uint8_t *bytes;    /* which the stream points to */
	ZSTD_CDict *zstd;
};

struct slu_encoder {
	LZ4_stream_t lz4;
	ZSTD_CCtx *zstd;
	int level; /* that zstd is set to */
};

int slu_encoder_dict_new(const uint8_t *data, size_t len, uint8_t codec, int level, struct slu_encoder_dict **ret_dict)
{
	struct slu_encoder_dict *d = calloc(1, sizeof(*d));
	size_t tail = slu_min(len, LZ4_REACH);

	if (!d)
		return slu_fail_memory();
	if (codec == SLU_CODEC_LZ4) {
		d->bytes = malloc(tail);
		d->lz4 = d->bytes ? LZ4_createStream() : NULL;
		if (d->lz4) {
			memcpy(d->bytes, data + len - tail, tail);
			LZ4_loadDict(d->lz4, (const char *)d->bytes, (int)tail);
		}
	} else {
		d->zstd = ZSTD_createCDict(data, len, level);
	}
	if (!d->lz4 && !d->zstd) {
		slu_encoder_dict_free(d);
		return slu_fail_memory();
	}
	*ret_dict = d;
	return 0;
}

void slu_encoder_dict_free(struct slu_encoder_dict *d)
{
	if (!d)
		return;
	if (d->lz4)
		LZ4_freeStream(d->lz4);
	free(d->bytes);
	ZSTD_freeCDict(d->zstd);
	free(d);
}

int slu_encoder_new(struct slu_encoder **ret_encoder)
{
	struct slu_encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return slu_fail_memory();
	*ret_encoder = e;
	return 0;
}

void slu_encoder_free(struct slu_encoder *e)
{
	if (!e)
		return;
	ZSTD_freeCCtx(e->zstd);
	free(e);
}

static ssize_t encode_lz4(struct slu_encoder *e, const struct slu_encoder_dict *dict, const uint8_t *in, size_t n,
                          uint8_t *out, size_t room)
{
	if (dict)
		memcpy(&e->lz4, dict->lz4, sizeof(e->lz4));
	else
		LZ4_initStream(&e->lz4, sizeof(e->lz4)); /* not the fast reset: output must not depend on history */
	return LZ4_compress_fast_continue(&e->lz4, (const char *)in, (char *)out, (int)n, (int)room, 1);
}

static int encoder_set_level(struct slu_encoder *e, int level)
{
	if (!e->zstd && !(e->zstd = ZSTD_createCCtx()))
		return slu_fail_memory();
	if (e->level == level)
		return 0;
	e->level = level;
	/* The record has the size and a checksum: the frame needs neither. */
	if (ZSTD_isError(ZSTD_CCtx_setParameter(e->zstd, ZSTD_c_contentSizeFlag, 0)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(e->zstd, ZSTD_c_dictIDFlag, 0)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(e->zstd, ZSTD_c_compressionLevel, level)))
		return slu_fail(-EINVAL, "zstd does not take level %d", level);
	return 0;
}

static ssize_t encode_zstd(struct slu_encoder *e, const struct slu_coding *c, const struct slu_encoder_dict *dict,
                           const uint8_t *in, size_t n, uint8_t *out, size_t room)
{
	int r = encoder_set_level(e, c->level);
	size_t len;

	if (r < 0)
		return r;
	/* A sample that did not fit has left the context in the middle of a frame. */
	len = ZSTD_CCtx_reset(e->zstd, ZSTD_reset_session_only);
	if (!ZSTD_isError(len))
		len = ZSTD_CCtx_refCDict(e->zstd, dict ? dict->zstd : NULL);
	if (!ZSTD_isError(len))
		len = ZSTD_compress2(e->zstd, out, room, in, n);
	if (!ZSTD_isError(len))
		return (ssize_t)len;
	if (ZSTD_getErrorCode(len) == ZSTD_error_dstSize_tooSmall)
		return 0;
	return slu_fail(ZSTD_getErrorCode(len) == ZSTD_error_memory_allocation ? -ENOMEM : -EINVAL, "zstd: %s",
	                ZSTD_getErrorName(len));
}

ssize_t slu_encode(struct slu_encoder *e, const struct slu_coding *c, const struct slu_encoder_dict *dict,
                   const uint8_t *in, size_t n, uint8_t *out)
{
	size_t room;

	if (slu_code_codec(c->code) == SLU_CODEC_RAW || n < 2 || n > SLU_COMPRESS_MAX)
		return 0;
	room = c->keep_div ? n - (n + c->keep_div - 1) / c->keep_div : n - 1;
	if (slu_code_codec(c->code) == SLU_CODEC_LZ4)
		return encode_lz4(e, dict, in, n, out, room);
	return encode_zstd(e, c, dict, in, n, out, room);
}
