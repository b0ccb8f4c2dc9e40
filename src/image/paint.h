/* SPDX-License-Identifier: MIT */
/* Planes of the final size become a sample: colours, type and layout as the options say. */
#ifndef SLU_IMAGE_PAINT_H
#define SLU_IMAGE_PAINT_H

#include <sluice/image.h>
#include <stdbool.h>

struct slu_picture {
	uint32_t width, height;
	uint32_t count; /* planes: 1 or 3 */
	bool ycc;       /* else RGB, or brightness alone */
	const uint8_t *plane[3];
};

/* @row is memory for 3 * width bytes. @opt is as of slu_jpeg_options(). */
void slu_paint(const struct slu_jpeg_options *opt, const struct slu_picture *p, uint8_t *row, void *out);

#endif
