/* SPDX-License-Identifier: MIT */
/*
 * The inside of a decoder, for jpeg.c (its life, the header, errors) and planes.c (from libjpeg to
 * planes of bytes).
 *
 * libjpeg reports errors by a jump to d->jump. Code that may be left so must own nothing: all memory
 * belongs to the decoder or to libjpeg's state, which is made anew for each image.
 */
#ifndef SLU_IMAGE_DECODER_H
#define SLU_IMAGE_DECODER_H

#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>

#include "image/crop.h"
#include "image/jpeg.h"
#include "image/resize.h"

struct slu_jpeg {
	struct jpeg_decompress_struct c;
	struct jpeg_error_mgr errors;
	struct jpeg_progress_mgr progress;
	jmp_buf jump;
	int failed; /* after a jump */
	bool lenient;
	struct slu_axis axis[3][2]; /* by plane; x, y */
	struct slu_resize_scratch resizing;
	void *planes; /* as decoded */
	size_t planes_bytes;
	void *resized;
	size_t resized_bytes;
	void *row;
	size_t row_bytes;
};

/* What is wanted of an image. */
struct slu_want {
	struct slu_box box;
	uint32_t width, height; /* of the output */
	uint32_t planes;        /* 1 or 3 */
	bool flip, exact;
};

/* What libjpeg gave: the part of the image that resizing will read. */
struct slu_planes {
	uint32_t count;
	bool ycc;               /* else they are RGB, or brightness alone */
	const uint8_t *data[3]; /* the element (x->first, y->first) */
	size_t stride[3];
	const struct slu_axis *x[3], *y[3]; /* of the decoder; planes may share them */
};

/* Both go on from a header that was read, and leave the rest of the image unread. */

/* The planes as they are stored, neither upsampled nor converted: YCbCr and grey only. */
SLU_MUST_USE int slu_planes_raw(struct slu_jpeg *d, const struct slu_want *want, struct slu_planes *ret_planes);
/* RGB or grey, as libjpeg makes them. */
SLU_MUST_USE int slu_planes_rows(struct slu_jpeg *d, const struct slu_want *want, struct slu_planes *ret_planes);

#endif
