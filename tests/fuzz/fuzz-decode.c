/* SPDX-License-Identifier: MIT */
/*
 * Bytes as a sample: u8 code, u24 size promised, u16 length of a section of dictionaries,
 * the section, the stored bytes. Decoding gives exactly the promised size or an error,
 * and writes not one byte more.
 */
#include "pack/codec.h"

#include "fix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode(struct slu_dicts *dicts, uint8_t code, const uint8_t *in, size_t n, size_t promised)
{
	static struct slu_decoder *decoder;

	if (!decoder && slu_decoder_new(&decoder) < 0)
		abort();
	/* Exactly as large as promised: the address sanitizer stands behind it. Likewise the input. */
	uint8_t *out = malloc(promised ? promised : 1), *copy = malloc(n ? n : 1);
	if (!out || !copy)
		abort();
	memcpy(copy, in, n);
	if (slu_decoder_prepare(decoder, dicts, code) == 0)
		(void)!slu_decode(decoder, dicts, code, copy, n, out, promised);
	free(copy);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slu_dicts dicts = { 0 };

	if (size < 6)
		return -1;
	uint8_t code = data[0];
	size_t promised = (size_t)fix_get(data + 1, 3) % (1 << 20), section = (size_t)fix_get(data + 4, 2);
	data += 6;
	size -= 6;
	section = section > size ? size : section;
	if (section && slu_dicts_init(&dicts, data, section) < 0)
		return 0;
	/* A reader has checked that the dictionary is there, and that codec and size are possible. */
	if (slu_code_dict(code) <= dicts.count && slu_code_codec(code) <= 2)
		decode(&dicts, code, data + section, size - section, promised);
	slu_dicts_done(&dicts);
	return 0;
}
