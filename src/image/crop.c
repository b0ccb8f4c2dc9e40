/* SPDX-License-Identifier: MIT */
/*
 * The box of an image that becomes the sample. See crop.h.
 *
 * The arithmetic follows torchvision's step by step (rounding half to even, truncation where it
 * truncates), so that the boxes have its distribution, and the centre crop its very pixels.
 */
#include "image/crop.h"

#include <math.h>

enum { TRIES = 10 }; /* as torchvision */

struct random {
	uint64_t state;
};

static double uniform(struct random *r, double from, double to)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return from + (to - from) * ((double)(z >> 11) * 0x1p-53);
}

static struct slu_box box_at(double x, double y, double width, double height)
{
	return (struct slu_box){ x, y, x + width, y + height };
}

/* When no try fits: the largest part in the middle whose ratio is allowed. */
static struct slu_box fallback(const struct slu_jpeg_options *opt, double width, double height)
{
	double w = width, h = height;

	if (width / height < (double)opt->ratio_min)
		h = rint(w / (double)opt->ratio_min);
	else if (width / height > (double)opt->ratio_max)
		w = rint(h * (double)opt->ratio_max);
	/* An image one pixel high may have no allowed part at all. */
	w = fmax(w, 1);
	h = fmax(h, 1);
	return box_at(floor((width - w) / 2), floor((height - h) / 2), w, h);
}

static struct slu_box random_resized(const struct slu_jpeg_options *opt, double width, double height, struct random *r)
{
	double log_min = log((double)opt->ratio_min), log_max = log((double)opt->ratio_max);

	for (int i = 0; i < TRIES; i++) {
		double area = width * height * uniform(r, (double)opt->scale_min, (double)opt->scale_max);
		double ratio = exp(uniform(r, log_min, log_max));
		double w = rint(sqrt(area * ratio)), h = rint(sqrt(area / ratio));

		if (w > 0 && w <= width && h > 0 && h <= height) {
			double top = floor(uniform(r, 0, height - h + 1));
			double left = floor(uniform(r, 0, width - w + 1));
			return box_at(left, top, w, h);
		}
	}
	return fallback(opt, width, height);
}

/* The image would become @w x @h, and of that the middle is wanted; only that is computed. */
static struct slu_box center(const struct slu_jpeg_options *opt, double width, double height)
{
	double ow = opt->width, oh = opt->height, w, h;

	if (width * oh <= height * ow) {
		w = rint(ow * (double)opt->cover);
		h = fmax(floor(w * height / width), oh);
	} else {
		h = rint(oh * (double)opt->cover);
		w = fmax(floor(h * width / height), ow);
	}
	return box_at(rint((w - ow) / 2) * width / w, rint((h - oh) / 2) * height / h, ow * width / w, oh * height / h);
}

void slu_crop(const struct slu_jpeg_options *opt, uint32_t width, uint32_t height, uint64_t key,
              struct slu_box *ret_box, bool *ret_flip)
{
	struct random r = { key };
	bool heads = uniform(&r, 0, 1) < 0.5;

	switch (opt->crop) {
	case SLU_CROP_CENTER:
		*ret_box = center(opt, width, height);
		break;
	case SLU_CROP_RANDOM_RESIZED:
		*ret_box = random_resized(opt, width, height, &r);
		break;
	default:
		*ret_box = box_at(0, 0, width, height);
	}
	*ret_flip = opt->flip && heads;
}
