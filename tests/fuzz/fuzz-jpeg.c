/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the decoding of JPEGs: a byte of options, a byte of key, and the image. Each image goes through a
 * decoder that has seen others, and, when it decodes, through a new one, which must give the same.
 */
#include <stdlib.h>
#include <string.h>

#include "image/jpeg.h"

/* Larger ones are slow with sanitizers, and show nothing that these do not. */
enum { MAX_PIXELS = 1 << 20 };

static struct slu_jpeg_options options_of(uint8_t bits)
{
	struct slu_jpeg_options o = { .crop = bits % 4 % 3, .flip = 1 };

	o.exact = bits >> 2 & 1;
	o.lenient = bits >> 3 & 1;
	o.layout = bits >> 4 & 1;
	o.dtype = bits >> 5 & 1;
	o.channels = bits >> 6 & 1 ? 1 : 3;
	if (bits >> 7 || o.crop != SLU_CROP_NONE) {
		o.width = 37;
		o.height = 19;
	}
	return o;
}

static void again(const struct slu_jpeg_options *o, const uint8_t *data, size_t size, uint64_t key, const void *out,
                  size_t bytes)
{
	struct slu_jpeg *d;
	void *other = malloc(bytes);

	if (!other || slu_jpeg_new(&d) < 0 || slu_jpeg_decode(d, o, data, size, key, other, bytes) < 0 ||
	    memcmp(out, other, bytes) != 0)
		abort();
	slu_jpeg_free(d);
	free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct slu_jpeg *d;
	uint32_t w, h;
	size_t bytes;

	if (size < 2)
		return -1;
	if (!d && slu_jpeg_new(&d) < 0)
		abort();
	struct slu_jpeg_options o = options_of(data[0]);
	uint64_t key = data[1];
	data += 2;
	size -= 2;
	if (slu_jpeg_size(d, data, size, &w, &h) < 0 || (uint64_t)w * h > MAX_PIXELS)
		return 0;
	if (slu_jpeg_out_bytes(&o, &bytes) < 0)
		abort();
	bytes = bytes ? bytes : slu_jpeg_pixel_bytes(&o) * w * h;
	void *out = malloc(bytes);
	if (!out)
		abort();
	if (slu_jpeg_decode(d, &o, data, size, key, out, bytes) == 0)
		again(&o, data, size, key, out, bytes);
	free(out);
	return 0;
}
