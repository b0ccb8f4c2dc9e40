/* SPDX-License-Identifier: MIT */
/*
 * Resizing of one plane of bytes: separable, by a triangle filter whose width grows with the shrink
 * factor, so that nothing aliases. The weights of an axis are computed once (struct slu_axis) and may be
 * used for several planes.
 *
 * Two forms of the arithmetic. The exact one is Pillow's: columns first, 22 bits of weight, a byte between
 * the two directions; its results are Pillow's byte for byte. The fast one has 16 bits of weight and,
 * between the directions, 8 bits after the point.
 */
#ifndef SLU_IMAGE_RESIZE_H
#define SLU_IMAGE_RESIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* One direction. All zero is an empty one; slu_axis_done() releases it. */
struct slu_axis {
	uint32_t in, out;    /* lengths */
	uint32_t first, end; /* of the input: what is read */
	uint32_t taps;       /* weights an output element has; where there are fewer, the rest are 0 */
	bool fast;           /* k16 is filled in, and taps is a multiple of 4; else k32 */
	uint32_t *at;        /* for each output element: the input element of its first weight */
	uint16_t *k16;       /* taps for each output element, in 1/65536 */
	int32_t *k32;        /* the same in 1/2^22 */
	void *memory;        /* of all three */
	size_t memory_bytes;
};

/* The memory of a resizer, kept from plane to plane. All zero is empty. */
struct slu_resize_scratch {
	void *memory;
	size_t bytes;
};

/*
 * Weights for elements @from .. @to of an input of @in elements to become @out elements, the last one
 * first if @mirrored. 0 <= from < to; what lies beyond @in is taken as far as there is any.
 * Whether it is fast is the caller's wish, not granted for very many taps.
 */
SLU_MUST_USE int slu_axis_set(struct slu_axis *a, uint32_t in, double from, double to, uint32_t out, bool mirrored,
                              bool fast);
void slu_axis_done(struct slu_axis *a);

/*
 * @in is the element (x->first, y->first) of the input, whose rows are @stride bytes apart; @out gets
 * y->out rows of x->out bytes, one after another. Both axes must be of one form.
 */
SLU_MUST_USE int slu_resize(struct slu_resize_scratch *s, const struct slu_axis *x, const struct slu_axis *y,
                            const uint8_t *in, size_t stride, uint8_t *out);
void slu_resize_scratch_done(struct slu_resize_scratch *s);

/* At least @bytes of memory at @memory (which has @have), zeroed when new; what was there is lost. */
SLU_MUST_USE int slu_scratch(void **memory, size_t *have, size_t bytes);

#endif
