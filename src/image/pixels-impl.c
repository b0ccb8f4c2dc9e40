/* SPDX-License-Identifier: MIT */
/*
 * The loops over pixels, written so that compilers make vector code of them, for the vector unit
 * that this file is compiled for. See pixels.h.
 *
 * Resizing goes by strips of LANES rows of output, small enough for the first-level cache:
 *
 *   input rows (bytes) --mix rows--> LANES rows (8.8 fixed) --turn--> columns of LANES elements
 *     --mix columns--> LANES bytes for each output column --turn back--> LANES rows of output
 *
 * In both directions the same weights apply to all elements of a vector. Weights are fractions of
 * 65536 and a product is its upper 16 bits: one instruction. To turn a matrix is to interleave its
 * rows pairwise log2(LANES) times, which again is one instruction for a vector.
 */
#include "image/pixels.h"

#include <string.h>

#include "image/resize.h"

enum { LANES = 16, LANE_BITS = 4 };

/* The upper half of the product. */
static inline uint16_t part(uint16_t value, uint16_t weight)
{
	return (uint16_t)(((uint32_t)value * weight) >> 16);
}

static inline uint16_t part8(uint8_t value, uint16_t weight)
{
	return part((uint16_t)(value << 8), weight);
}

/* ---- rows ------------------------------------------------------------------------- */

static void mix4_rows(uint16_t *restrict to, const uint8_t *restrict a, const uint8_t *restrict b,
                      const uint8_t *restrict c, const uint8_t *restrict d, const uint16_t *k, size_t n)
{
	uint16_t ka = k[0], kb = k[1], kc = k[2], kd = k[3];

	for (size_t i = 0; i < n; i++)
		to[i] = (uint16_t)(part8(a[i], ka) + part8(b[i], kb) + part8(c[i], kc) + part8(d[i], kd));
}

static void add4_rows(uint16_t *restrict to, const uint8_t *restrict a, const uint8_t *restrict b,
                      const uint8_t *restrict c, const uint8_t *restrict d, const uint16_t *k, size_t n)
{
	uint16_t ka = k[0], kb = k[1], kc = k[2], kd = k[3];

	for (size_t i = 0; i < n; i++)
		to[i] = (uint16_t)(to[i] + part8(a[i], ka) + part8(b[i], kb) + part8(c[i], kc) + part8(d[i], kd));
}

/* Row @i of the output, of columns that are not yet resized. */
static void mix_rows(const struct slu_axis *y, uint32_t i, const uint8_t *in, size_t stride, uint16_t *to, size_t n)
{
	const uint16_t *k = y->k16 + (size_t)i * y->taps;
	uint32_t at = y->at[i] - y->first, last = y->end - y->first - 1;

	for (uint32_t t = 0; t < y->taps; t += 4) {
		const uint8_t *rows[4];

		/* Beyond the last row weights are 0, and any row will do. */
		for (uint32_t j = 0; j < 4; j++)
			rows[j] = in + (at + t + j < last ? at + t + j : last) * stride;
		if (t == 0)
			mix4_rows(to, rows[0], rows[1], rows[2], rows[3], k, n);
		else
			add4_rows(to, rows[0], rows[1], rows[2], rows[3], k + t, n);
	}
}

/* ---- turning ---------------------------------------------------------------------- */

static void zip(uint16_t *restrict to, const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[2 * i] = a[i];
		to[2 * i + 1] = b[i];
	}
}

static void unzip(uint8_t *restrict a, uint8_t *restrict b, const uint8_t *restrict from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		a[i] = from[2 * i];
		b[i] = from[2 * i + 1];
	}
}

/* LANES rows of @n elements at @a become @n columns of LANES, at @a again; @b is as large. */
static void turn(uint16_t *a, uint16_t *b, size_t n)
{
	for (int round = 0; round < LANE_BITS; round++) {
		uint16_t *from = round % 2 ? b : a, *to = round % 2 ? a : b;
		size_t half = (LANES / 2) >> round, len = n << round;

		for (size_t i = 0; i < half; i++)
			zip(to + 2 * i * len, from + i * len, from + (i + half) * len, len);
	}
}

/* @n columns of LANES bytes at @a become rows, the first @rows of which go to @out. */
static void turn_back(uint8_t *a, uint8_t *b, size_t n, uint8_t *out, uint32_t rows)
{
	for (int round = 0; round < LANE_BITS; round++) {
		uint8_t *from = round % 2 ? b : a, *to = round % 2 ? a : b;
		size_t parts = (size_t)1 << round, len = (n * LANES / 2) >> round;

		for (size_t i = 0; i < parts; i++)
			unzip(to + i * len, to + (i + parts) * len, from + 2 * i * len, len);
	}
	memcpy(out, a, n * rows);
}

/* ---- columns ---------------------------------------------------------------------- */

static void mix4_columns(const struct slu_axis *x, const uint16_t *restrict in, uint16_t round, uint8_t *restrict to)
{
	for (uint32_t i = 0; i < x->out; i++) {
		const uint16_t *v = in + (size_t)(x->at[i] - x->first) * LANES, *k = x->k16 + (size_t)i * 4;
		uint16_t ka = k[0], kb = k[1], kc = k[2], kd = k[3];

		for (int l = 0; l < LANES; l++)
			to[(size_t)i * LANES + l] =
				(uint8_t)((uint16_t)(part(v[l], ka) + part(v[LANES + l], kb) +
			                             part(v[2 * LANES + l], kc) + part(v[3 * LANES + l], kd) + round) >>
			                  8);
	}
}

static void mix_columns(const struct slu_axis *x, const uint16_t *restrict in, uint16_t round, uint8_t *restrict to)
{
	for (uint32_t i = 0; i < x->out; i++) {
		const uint16_t *v = in + (size_t)(x->at[i] - x->first) * LANES, *k = x->k16 + (size_t)i * x->taps;
		uint16_t sum[LANES];

		for (int l = 0; l < LANES; l++)
			sum[l] = round;
		for (uint32_t t = 0; t < x->taps; t++)
			for (int l = 0; l < LANES; l++)
				sum[l] = (uint16_t)(sum[l] + part(v[t * LANES + l], k[t]));
		for (int l = 0; l < LANES; l++)
			to[(size_t)i * LANES + l] = (uint8_t)(sum[l] >> 8);
	}
}

/* ---- all of it -------------------------------------------------------------------- */

/* Weights of 0 may lie up to x->taps columns beyond the last. */
static size_t wide_bytes(const struct slu_axis *x)
{
	return ((size_t)(x->end - x->first) + x->taps) * LANES * sizeof(uint16_t);
}

static size_t resize_scratch(const struct slu_axis *x)
{
	return 2 * wide_bytes(x) + 2 * (size_t)x->out * LANES;
}

static void resize(const struct slu_axis *x, const struct slu_axis *y, const uint8_t *in, size_t stride, void *scratch,
                   uint8_t *out)
{
	size_t width = x->end - x->first;
	uint16_t *wide = scratch, *other = (uint16_t *)((char *)scratch + wide_bytes(x));
	uint8_t *narrow = (uint8_t *)scratch + 2 * wide_bytes(x), *other_narrow = narrow + (size_t)x->out * LANES;

	/* 1/2, and what is lost on average by the cut at each tap, half of 1/256. */
	uint16_t round = (uint16_t)(128 + (x->taps + y->taps) / 2);

	for (uint32_t i = 0; i < y->out; i += LANES) {
		uint32_t rows = y->out - i < LANES ? y->out - i : LANES;

		for (uint32_t j = 0; j < rows; j++)
			mix_rows(y, i + j, in, stride, wide + j * width, width);
		turn(wide, other, width);
		if (x->taps == 4)
			mix4_columns(x, wide, round, narrow);
		else
			mix_columns(x, wide, round, narrow);
		turn_back(narrow, other_narrow, x->out, out + (size_t)i * x->out, rows);
	}
}

/* The upper half of the product of @c, of -128 .. 127, and a factor in 1/16384: 64 times as much as it is. */
static inline int16_t part_of(int16_t c, int16_t factor)
{
	return (int16_t)(((int32_t)(int16_t)(c * 256) * factor) >> 16);
}

/* From 1/64. */
static inline uint8_t clip(int16_t v)
{
	v = (int16_t)((v + 32) >> 6);
	v = v < 0 ? 0 : v;
	return (uint8_t)(v > 255 ? 255 : v);
}

/* Compilers believe restrict of parameters, not of what is taken out of an array: hence two functions each. */

/* In 16 bits, for twice the pixels a vector has in 32; 1.402 and 1.772 are 1 and the rest, so that all fits. */
static void rgb_of(const uint8_t *restrict y, const uint8_t *restrict cb, const uint8_t *restrict cr,
                   uint8_t *restrict r, uint8_t *restrict g, uint8_t *restrict b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int16_t grey = (int16_t)(y[i] * 64), blue = (int16_t)(cb[i] - 128), red = (int16_t)(cr[i] - 128);

		r[i] = clip((int16_t)(grey + red * 64 + part_of(red, 6586)));
		g[i] = clip((int16_t)(grey - part_of(blue, 5638) - part_of(red, 11700)));
		b[i] = clip((int16_t)(grey + blue * 64 + part_of(blue, 12648)));
	}
}

static void rgb(const uint8_t *const ycc[3], uint8_t *const to[3], size_t n)
{
	rgb_of(ycc[0], ycc[1], ycc[2], to[0], to[1], to[2], n);
}

static void interleave_of(const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c,
                          uint8_t *restrict to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[3 * i] = a[i];
		to[3 * i + 1] = b[i];
		to[3 * i + 2] = c[i];
	}
}

static void interleave(const uint8_t *const from[3], uint8_t *to, size_t n)
{
	interleave_of(from[0], from[1], from[2], to, n);
}

static void split_to(const uint8_t *restrict from, uint8_t *restrict a, uint8_t *restrict b, uint8_t *restrict c,
                     size_t n)
{
	for (size_t i = 0; i < n; i++) {
		a[i] = from[3 * i];
		b[i] = from[3 * i + 1];
		c[i] = from[3 * i + 2];
	}
}

static void split(const uint8_t *from, uint8_t *const to[3], size_t n)
{
	split_to(from, to[0], to[1], to[2], n);
}

static void to_float(const uint8_t *restrict from, float scale, float offset, float *restrict to, size_t step, size_t n)
{
	if (step == 1)
		for (size_t i = 0; i < n; i++)
			to[i] = (float)from[i] * scale + offset;
	else
		for (size_t i = 0; i < n; i++)
			to[i * step] = (float)from[i] * scale + offset;
}

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

const struct slu_pixels JOIN(slu_pixels_, SLU_PIXELS_FORM) = {
	.name = TEXT(SLU_PIXELS_FORM),
	.resize = resize,
	.resize_scratch = resize_scratch,
	.rgb = rgb,
	.interleave = interleave,
	.split = split,
	.to_float = to_float,
};
