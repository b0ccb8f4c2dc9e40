/* SPDX-License-Identifier: MIT */
/*
 * The weights of the triangle filter, and the exact form of resizing. The fast form is in
 * pixels-impl.c. See resize.h.
 *
 * Weights follow Pillow's precompute_coeffs() operation by operation, in double: its roundings decide
 * which elements are read, and must be ours.
 */
#include "image/resize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "image/pixels.h"

enum {
	EXACT_BITS = 22,    /* Pillow's: 32 bits less 8 of the value, less 2 for what filters overshoot */
	MAX_FAST_TAPS = 64, /* beyond, what the fast form cuts off at each tap would show */
};

int slu_scratch(void **memory, size_t *have, size_t bytes)
{
	if (bytes <= *have)
		return 0;
	bytes = slu_up(bytes + bytes / 4, 64);
	free(*memory);
	*have = 0;
	*memory = aligned_alloc(64, bytes);
	if (!*memory)
		return slu_fail_memory();
	memset(*memory, 0, bytes);
	*have = bytes;
	return 0;
}

void slu_axis_done(struct slu_axis *a)
{
	free(a->memory);
	*a = (struct slu_axis){ 0 };
}

void slu_resize_scratch_done(struct slu_resize_scratch *s)
{
	free(s->memory);
	*s = (struct slu_resize_scratch){ 0 };
}

/* The weights @k of one output element, whose sum is 1; how many, and from where. */
static uint32_t weigh(const struct slu_axis *a, double center, double support, double *k, uint32_t *ret_at)
{
	double from = center - support + 0.5, to = center + support + 0.5, sum = 0, per = 1 / support;
	uint32_t at = from < 0 ? 0 : (uint32_t)from;
	uint32_t end = to > a->in ? a->in : (uint32_t)to;

	/* A box that ends beyond the last element, by the roundings of a scaled image. */
	if (at >= end)
		at = end - 1;
	for (uint32_t i = at; i < end; i++) {
		double w = 1 - fabs((i - center + 0.5) * per);

		k[i - at] = w > 0 ? w : 0;
		sum += k[i - at];
	}
	for (uint32_t i = 0; i < end - at; i++)
		k[i] = sum != 0 ? k[i] / sum : i == 0;
	*ret_at = at;
	return end - at;
}

static void put_exact(int32_t *to, const double *k, uint32_t n, uint32_t taps)
{
	for (uint32_t i = 0; i < taps; i++)
		to[i] = i < n ? (int32_t)(0.5 + k[i] * (1 << EXACT_BITS)) : 0;
}

/* The largest takes what rounding leaves, so that a flat image stays flat. */
static void put_fast(uint16_t *to, const double *k, uint32_t n, uint32_t taps)
{
	int32_t left = 65536;
	uint32_t largest = 0;

	for (uint32_t i = 0; i < taps; i++) {
		int32_t w = i < n ? (int32_t)(0.5 + k[i] * 65536) : 0;

		w = w > 65535 ? 65535 : w;
		left -= w;
		to[i] = (uint16_t)w;
		largest = to[i] > to[largest] ? i : largest;
	}
	if (to[largest] + left <= 65535)
		to[largest] = (uint16_t)(to[largest] + left);
}

/* Room for @taps doubles too, after the weights; *@ret_k is that. */
static int make_room(struct slu_axis *a, uint32_t taps, double **ret_k)
{
	size_t weights = slu_up(((size_t)a->out * a->taps) * (a->fast ? 2 : 4), 64), ats = slu_up(a->out * 4ull, 64);
	int r = slu_scratch(&a->memory, &a->memory_bytes, weights + ats + taps * sizeof(double));

	if (r < 0)
		return r;
	a->at = a->memory;
	a->k16 = (void *)((char *)a->memory + ats);
	a->k32 = (void *)a->k16;
	*ret_k = (void *)((char *)a->k16 + weights);
	return 0;
}

int slu_axis_set(struct slu_axis *a, uint32_t in, double from, double to, uint32_t out, bool mirrored, bool fast)
{
	double scale = (to - from) / out, support = scale < 1 ? 1 : scale, *k;
	uint32_t taps = (uint32_t)ceil(support) * 2 + 1;
	int r;

	/* Pillow reserves one or two more taps than the window, 2 * support wide, can hold. */
	uint32_t most = (uint32_t)ceil(2 * support);

	a->in = in;
	a->out = out;
	a->fast = fast && most <= MAX_FAST_TAPS;
	a->taps = a->fast ? (uint32_t)slu_up(most, 4) : taps;
	a->first = in;
	a->end = 0;
	r = make_room(a, taps, &k);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < out; i++) {
		uint32_t j = mirrored ? out - 1 - i : i;
		uint32_t n = weigh(a, from + (i + 0.5) * scale, support, k, &a->at[j]);

		a->first = a->at[j] < a->first ? a->at[j] : a->first;
		a->end = a->at[j] + n > a->end ? a->at[j] + n : a->end;
		if (a->fast)
			put_fast(a->k16 + (size_t)j * a->taps, k, n < a->taps ? n : a->taps, a->taps);
		else
			put_exact(a->k32 + (size_t)j * a->taps, k, n < a->taps ? n : a->taps, a->taps);
	}
	return 0;
}

/* ---- the exact form --------------------------------------------------------------- */

static uint8_t clip(int32_t sum)
{
	sum >>= EXACT_BITS;
	return (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

static void exact_columns(const struct slu_axis *x, const uint8_t *in, uint8_t *out)
{
	for (uint32_t i = 0; i < x->out; i++) {
		uint32_t n = x->end - x->at[i] < x->taps ? x->end - x->at[i] : x->taps;
		const int32_t *k = x->k32 + (size_t)i * x->taps;
		int32_t sum = 1 << (EXACT_BITS - 1);

		for (uint32_t t = 0; t < n; t++)
			sum += in[x->at[i] - x->first + t] * k[t];
		out[i] = clip(sum);
	}
}

static void exact_row(const struct slu_axis *y, uint32_t i, const uint8_t *in, uint32_t width, int32_t *sums,
                      uint8_t *out)
{
	uint32_t n = y->end - y->at[i] < y->taps ? y->end - y->at[i] : y->taps;

	for (uint32_t c = 0; c < width; c++)
		sums[c] = 1 << (EXACT_BITS - 1);
	for (uint32_t t = 0; t < n; t++) {
		const uint8_t *row = in + (size_t)(y->at[i] - y->first + t) * width;
		int32_t k = y->k32[(size_t)i * y->taps + t];

		for (uint32_t c = 0; c < width; c++)
			sums[c] += row[c] * k;
	}
	for (uint32_t c = 0; c < width; c++)
		out[c] = clip(sums[c]);
}

static int resize_exact(struct slu_resize_scratch *s, const struct slu_axis *x, const struct slu_axis *y,
                        const uint8_t *in, size_t stride, uint8_t *out)
{
	uint32_t rows = y->end - y->first;
	size_t sums = slu_up(x->out * sizeof(int32_t), 64);
	int r = slu_scratch(&s->memory, &s->bytes, sums + (size_t)rows * x->out);

	if (r < 0)
		return r;
	uint8_t *narrow = (uint8_t *)s->memory + sums;
	for (uint32_t i = 0; i < rows; i++)
		exact_columns(x, in + i * stride, narrow + (size_t)i * x->out);
	for (uint32_t i = 0; i < y->out; i++)
		exact_row(y, i, narrow, x->out, s->memory, out + (size_t)i * x->out);
	return 0;
}

int slu_resize(struct slu_resize_scratch *s, const struct slu_axis *x, const struct slu_axis *y, const uint8_t *in,
               size_t stride, uint8_t *out)
{
	int r;

	if (!x->fast)
		return resize_exact(s, x, y, in, stride, out);
	r = slu_scratch(&s->memory, &s->bytes, slu_pixels()->resize_scratch(x));
	if (r < 0)
		return r;
	slu_pixels()->resize(x, y, in, stride, s->memory, out);
	return 0;
}
