/* SPDX-License-Identifier: MIT */
/*
 * The loops over pixels, in several forms, for the vector units that CPUs have; all give the same
 * results. The build compiles pixels-impl.c once for each, as it does base/hash-impl.c; pixels.c
 * chooses.
 */
#ifndef SLU_IMAGE_PIXELS_H
#define SLU_IMAGE_PIXELS_H

#include <stddef.h>
#include <stdint.h>

struct slu_axis;

struct slu_pixels {
	const char *name;
	/* The fast form of slu_resize(), and the bytes of memory, once zeroed, that it wants. */
	void (*resize)(const struct slu_axis *x, const struct slu_axis *y, const uint8_t *in, size_t stride,
	               void *scratch, uint8_t *out);
	size_t (*resize_scratch)(const struct slu_axis *x);
	/* @n pixels: JFIF's YCbCr to RGB, within 1 of libjpeg's. */
	void (*rgb)(const uint8_t *const ycc[3], uint8_t *const rgb[3], size_t n);
	/* @n pixels of planes, one after another; and back. */
	void (*interleave)(const uint8_t *const from[3], uint8_t *to, size_t n);
	void (*split)(const uint8_t *from, uint8_t *const to[3], size_t n);
	/* to[i * step] = from[i] * scale + offset */
	void (*to_float)(const uint8_t *from, float scale, float offset, float *to, size_t step, size_t n);
};

extern const struct slu_pixels slu_pixels_plain; /* what every CPU of the architecture has */
extern const struct slu_pixels slu_pixels_avx2;

/* The best form for this CPU. */
const struct slu_pixels *slu_pixels(void);

#endif
