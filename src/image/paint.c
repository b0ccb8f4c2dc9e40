/* SPDX-License-Identifier: MIT */
/* See paint.h. */
#include "image/paint.h"

#include <string.h>

#include "image/pixels.h"

/* Planes of bytes from planes of bytes: the most common case, without a copy in between. */
static void paint_planes(const struct slu_jpeg_options *opt, const struct slu_picture *p, uint8_t *out)
{
	size_t n = (size_t)p->width * p->height;

	if (p->ycc) {
		slu_pixels()->rgb(p->plane, (uint8_t *const[3]){ out, out + n, out + 2 * n }, n);
		return;
	}
	for (uint32_t c = 0; c < opt->channels; c++)
		memcpy(out + c * n, p->plane[c], n);
}

static void paint_floats(const struct slu_jpeg_options *opt, const uint8_t *const from[3], size_t n, size_t plane,
                         float *out)
{
	for (uint32_t c = 0; c < opt->channels; c++) {
		float scale = 1 / (255 * opt->std[c]), offset = -opt->mean[c] / opt->std[c];

		if (opt->layout == SLU_NCHW)
			slu_pixels()->to_float(from[c], scale, offset, out + c * plane, 1, n);
		else
			slu_pixels()->to_float(from[c], scale, offset, out + c, opt->channels, n);
	}
}

static void paint_row(const struct slu_jpeg_options *opt, const struct slu_picture *p, uint32_t y, uint8_t *row,
                      void *out)
{
	size_t w = p->width, at = y * w;
	const uint8_t *from[3] = { p->plane[0] + at, p->plane[1] + at, p->plane[2] + at };

	if (p->ycc) {
		uint8_t *const rgb[3] = { row, row + w, row + 2 * w };

		slu_pixels()->rgb(from, rgb, w);
		memcpy(from, rgb, sizeof(from));
	}
	if (opt->dtype == SLU_F32)
		paint_floats(opt, from, w, w * p->height,
		             (float *)out + at * (opt->layout == SLU_NHWC ? opt->channels : 1));
	else if (opt->channels == 3)
		slu_pixels()->interleave(from, (uint8_t *)out + 3 * at, w);
	else
		memcpy((uint8_t *)out + at, from[0], w);
}

void slu_paint(const struct slu_jpeg_options *opt, const struct slu_picture *picture, uint8_t *row, void *out)
{
	struct slu_picture p = *picture;

	if (p.count == 1) /* grey in all channels */
		p.plane[1] = p.plane[2] = p.plane[0];
	if (opt->dtype == SLU_U8 && opt->layout == SLU_NCHW) {
		paint_planes(opt, &p, out);
		return;
	}
	for (uint32_t y = 0; y < p.height; y++)
		paint_row(opt, &p, y, row, out);
}
