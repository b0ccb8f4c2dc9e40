/* SPDX-License-Identifier: MIT */
/*
 * From a JPEG whose header is read to planes of bytes. See decoder.h.
 *
 * slu_planes_raw() takes the components out of libjpeg before upsampling and colour conversion:
 * the resizer does the upsampling with its own filter, and conversion is left for the pixels that
 * come out. This was measured to cost less than cropped scanlines, and does not depend on how
 * libjpeg treats the edges of a crop. slu_planes_rows() has libjpeg do all, for colours that are
 * not YCbCr and for results equal to Pillow's.
 */
#include <errno.h>
#include <math.h>

#include "base/macros.h"
#include "image/decoder.h"
#include "image/pixels.h"

#if JPEG_LIB_VERSION >= 70
#define DCT_WIDTH(p) ((p)->DCT_h_scaled_size)
#define DCT_HEIGHT(p) ((p)->DCT_v_scaled_size)
#define MIN_DCT_HEIGHT(c) ((c)->min_DCT_v_scaled_size)
#else
#define DCT_WIDTH(p) ((p)->DCT_scaled_size)
#define DCT_HEIGHT(p) ((p)->DCT_scaled_size)
#define MIN_DCT_HEIGHT(c) ((c)->min_DCT_scaled_size)
#endif

enum {
	MAX_ROWS = MAX_SAMP_FACTOR * DCTSIZE * 2, /* of a component in one row of MCUs, with room to spare */
	/* Columns decoded beside those wanted, since libjpeg takes the edge of a crop for the image's: the
	 * upsampling of up to 4:1 looks one sample aside. */
	MARGIN = 8,
};

/* The image shrunk by 8, 4 or 2 while it is decoded, if the box stays as large as what is wanted. The
 * scales between have no vector code in libjpeg. */
static void choose_scale(struct slu_jpeg *d, const struct slu_want *want)
{
	double w = want->box.x1 - want->box.x0, h = want->box.y1 - want->box.y0;

	d->c.scale_denom = 8;
	d->c.scale_num = 8;
	while (!want->exact && d->c.scale_num > 1 && w * (d->c.scale_num / 2) >= 8.0 * want->width &&
	       h * (d->c.scale_num / 2) >= 8.0 * want->height)
		d->c.scale_num /= 2;
}

/* The weights of plane @i, of @width x @height, in which the image is @sx and @sy times its size. Both
 * axes get one form of arithmetic. */
static int set_axes(struct slu_jpeg *d, const struct slu_want *want, int i, uint32_t width, uint32_t height, double sx,
                    double sy)
{
	const struct slu_box *b = &want->box;
	struct slu_axis *x = &d->axis[i][0], *y = &d->axis[i][1];
	bool fast = !want->exact;
	int r;

	do {
		r = slu_axis_set(x, width, b->x0 * sx, b->x1 * sx, want->width, want->flip, fast);
		if (r == 0)
			r = slu_axis_set(y, height, b->y0 * sy, b->y1 * sy, want->height, false, fast && x->fast);
		fast = false;
	} while (r == 0 && x->fast != y->fast);
	return r;
}

/* ---- components as they are stored ------------------------------------------------ */

struct strips {
	uint32_t top, bottom; /* rows of MCUs that are kept */
	uint32_t high[3];     /* rows of a component in one of them */
	uint8_t *data[3];     /* of the top one */
	size_t stride[3];
};

static bool same_sampling(const jpeg_component_info *a, const jpeg_component_info *b)
{
	return a->h_samp_factor == b->h_samp_factor && a->v_samp_factor == b->v_samp_factor &&
	       DCT_WIDTH(a) == DCT_WIDTH(b) && DCT_HEIGHT(a) == DCT_HEIGHT(b);
}

static int component_axes(struct slu_jpeg *d, const struct slu_want *want, struct slu_planes *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const jpeg_component_info *comp = &d->c.comp_info[i];
		double sx = (double)(comp->h_samp_factor * DCT_WIDTH(comp)) / (d->c.max_h_samp_factor * DCTSIZE);
		double sy = (double)(comp->v_samp_factor * DCT_HEIGHT(comp)) / (d->c.max_v_samp_factor * DCTSIZE);

		if (i > 0 && same_sampling(comp, comp - 1)) {
			p->x[i] = p->x[i - 1];
			p->y[i] = p->y[i - 1];
			continue;
		}
		int r = set_axes(d, want, (int)i, comp->downsampled_width, comp->downsampled_height, sx, sy);
		if (r < 0)
			return r;
		p->x[i] = &d->axis[i][0];
		p->y[i] = &d->axis[i][1];
	}
	return 0;
}

/* Which rows of MCUs have what is read, and memory for these. All components get memory, though of some
 * nothing is wanted: libjpeg is given a place for each. */
static int place_strips(struct slu_jpeg *d, const struct slu_planes *p, struct strips *s)
{
	size_t mcus = (d->c.image_width + d->c.max_h_samp_factor * DCTSIZE - 1) / (d->c.max_h_samp_factor * DCTSIZE);
	size_t bytes = 0;

	s->top = d->c.total_iMCU_rows;
	s->bottom = 0;
	for (int i = 0; i < d->c.num_components; i++) {
		const jpeg_component_info *comp = &d->c.comp_info[i];

		s->high[i] = (uint32_t)(comp->v_samp_factor * DCT_HEIGHT(comp));
		s->stride[i] = slu_up(mcus * (size_t)(comp->h_samp_factor * DCT_WIDTH(comp)), 16);
		if (s->high[i] > MAX_ROWS)
			return slu_fail(-EOPNOTSUPP, "a JPEG whose component %d has %u rows at once", i, s->high[i]);
		if ((uint32_t)i >= p->count)
			continue;
		s->top = (uint32_t)slu_min(s->top, p->y[i]->first / s->high[i]);
		s->bottom = (uint32_t)slu_max(s->bottom, (p->y[i]->end + s->high[i] - 1) / s->high[i]);
	}
	for (int i = 0; i < d->c.num_components; i++)
		bytes += s->stride[i] * s->high[i] * (s->bottom - s->top);
	int r = slu_scratch(&d->planes, &d->planes_bytes, bytes);
	if (r < 0)
		return r;
	s->data[0] = d->planes;
	for (int i = 1; i < d->c.num_components; i++)
		s->data[i] = s->data[i - 1] + s->stride[i - 1] * s->high[i - 1] * (s->bottom - s->top);
	return 0;
}

/* The rows above are read for their codes alone: libjpeg transforms no component that is not needed. */
static void read_strips(struct slu_jpeg *d, const struct slu_planes *p, const struct strips *s)
{
	JSAMPROW rows[3][MAX_ROWS];
	JSAMPARRAY arrays[3] = { rows[0], rows[1], rows[2] };

	for (uint32_t strip = 0; strip < s->bottom; strip++) {
		bool keep = strip >= s->top;

		for (int i = 0; i < d->c.num_components; i++) {
			uint8_t *to = s->data[i] + (keep ? strip - s->top : 0) * s->high[i] * s->stride[i];

			d->c.comp_info[i].component_needed = keep && (uint32_t)i < p->count;
			for (uint32_t j = 0; j < s->high[i]; j++)
				rows[i][j] = to + j * s->stride[i];
		}
		(void)jpeg_read_raw_data(&d->c, arrays, (JDIMENSION)(d->c.max_v_samp_factor * MIN_DCT_HEIGHT(&d->c)));
	}
}

int slu_planes_raw(struct slu_jpeg *d, const struct slu_want *want, struct slu_planes *ret_planes)
{
	uint32_t stored = (uint32_t)d->c.num_components; /* 1 or 3 */
	struct slu_planes p = { .count = want->planes < stored ? want->planes : stored };
	struct strips s = { 0 };
	int r;

	p.ycc = p.count == 3;
	choose_scale(d, want);
	d->c.raw_data_out = TRUE;
	(void)jpeg_start_decompress(&d->c);
	r = component_axes(d, want, &p);
	if (r == 0)
		r = place_strips(d, &p, &s);
	if (r < 0)
		return r;
	read_strips(d, &p, &s);
	for (uint32_t i = 0; i < p.count; i++) {
		p.stride[i] = s.stride[i];
		p.data[i] = s.data[i] + (p.y[i]->first - (size_t)s.top * s.high[i]) * s.stride[i] + p.x[i]->first;
	}
	*ret_planes = p;
	return 0;
}

/* ---- rows of pixels --------------------------------------------------------------- */

static int choose_colours(struct slu_jpeg *d, const struct slu_want *want)
{
	switch (d->c.jpeg_color_space) {
	case JCS_GRAYSCALE:
		d->c.out_color_space = JCS_GRAYSCALE;
		return 0;
	case JCS_YCbCr:
	case JCS_RGB:
		d->c.out_color_space = want->planes == 1 ? JCS_GRAYSCALE : JCS_RGB;
		return 0;
	case JCS_CMYK:
	case JCS_YCCK:
		d->c.out_color_space = JCS_CMYK;
		return 0;
	default:
		return slu_fail(-EOPNOTSUPP, "a JPEG of %d components whose colours are not known",
		                d->c.num_components);
	}
}

/* a * b / 255, rounded: Pillow's MULDIV255. */
static uint32_t times(uint32_t a, uint32_t b)
{
	uint32_t t = a * b + 128;

	return ((t >> 8) + t) >> 8;
}

/* As Pillow: the inks are taken as inverted, which is Adobe's custom; grey is then of RGB. */
static void from_cmyk(const uint8_t *in, uint8_t *const to[3], uint32_t planes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint8_t *ink = in + 4 * i;
		uint32_t rgb[3];

		for (int j = 0; j < 3; j++)
			rgb[j] = ink[3] - times(255u - ink[j], ink[3]);
		if (planes == 1)
			to[0][i] = (uint8_t)((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
		else
			for (int j = 0; j < 3; j++)
				to[j][i] = (uint8_t)rgb[j];
	}
}

/* Has libjpeg leave out the columns that nobody reads; the first column that comes. */
static uint32_t crop_columns(struct slu_jpeg *d, const struct slu_axis *x)
{
	JDIMENSION from = x->first < MARGIN ? 0 : x->first - MARGIN;
	JDIMENSION width = (JDIMENSION)slu_min(x->end + MARGIN, d->c.output_width) - from;

	if (width == d->c.output_width)
		return 0;
	jpeg_crop_scanline(&d->c, &from, &width); /* which takes some more, from a row of MCUs' edge */
	return from;
}

static void read_rows(struct slu_jpeg *d, struct slu_planes *p, uint8_t *to[3], uint32_t rows, size_t stride)
{
	JSAMPROW row = d->row;

	if (p->y[0]->first > 0)
		(void)jpeg_skip_scanlines(&d->c, p->y[0]->first);
	for (uint32_t i = 0; i < rows; i++) {
		uint8_t *at[3] = { to[0] + i * stride, to[1] + i * stride, to[2] + i * stride };

		if (d->c.out_color_space == JCS_GRAYSCALE) {
			(void)jpeg_read_scanlines(&d->c, &at[0], 1);
			continue;
		}
		(void)jpeg_read_scanlines(&d->c, &row, 1);
		if (d->c.out_color_space == JCS_CMYK)
			from_cmyk(row, at, p->count, d->c.output_width);
		else
			slu_pixels()->split(row, at, d->c.output_width);
	}
}

int slu_planes_rows(struct slu_jpeg *d, const struct slu_want *want, struct slu_planes *ret_planes)
{
	struct slu_planes p = { 0 };
	int r;

	r = choose_colours(d, want);
	if (r < 0)
		return r;
	choose_scale(d, want);
	(void)jpeg_start_decompress(&d->c);
	p.count = d->c.out_color_space == JCS_GRAYSCALE ? 1 : want->planes;
	r = set_axes(d, want, 0, d->c.output_width, d->c.output_height, d->c.scale_num / 8.0, d->c.scale_num / 8.0);
	if (r < 0)
		return r;
	const struct slu_axis *x = &d->axis[0][0], *y = &d->axis[0][1];
	uint32_t rows = y->end - y->first, left = crop_columns(d, x);
	size_t stride = slu_up(d->c.output_width, 16);

	r = slu_scratch(&d->planes, &d->planes_bytes, stride * rows * p.count);
	if (r == 0)
		r = slu_scratch(&d->row, &d->row_bytes, (size_t)d->c.output_width * 4);
	if (r < 0)
		return r;
	uint8_t *to[3] = { d->planes, d->planes, d->planes };
	for (uint32_t i = 0; i < p.count; i++) {
		to[i] += stride * rows * i;
		p.data[i] = to[i] + (x->first - left);
		p.stride[i] = stride;
		p.x[i] = x;
		p.y[i] = y;
	}
	read_rows(d, &p, to, rows, stride);
	*ret_planes = p;
	return 0;
}
