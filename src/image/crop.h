/* SPDX-License-Identifier: MIT */
/* Which part of an image is wanted, and whether mirrored: pure arithmetic. */
#ifndef SLU_IMAGE_CROP_H
#define SLU_IMAGE_CROP_H

#include <sluice/image.h>
#include <stdbool.h>

/* In pixels of the image, edges included: the whole image is 0, 0, width, height. */
struct slu_box {
	double x0, y0, x1, y1;
};

/*
 * The random numbers of one image are splitmix64's, started at the image's key: the n-th one is
 * mix(key + n * 0x9e3779b97f4a7c15), n = 1, 2, ...; a uniform one in [0, 1) is its upper 53 bits
 * divided by 2^53. The first decides the flip (mirrored if below 1/2, whether or not a flip is
 * asked for); SLU_CROP_RANDOM_RESIZED then takes two a try (area, log of the ratio), at most ten
 * times, and two for the place (top, then left).
 */

/* The part of a @width x @height image that @opt (as of slu_jpeg_options()) wants for @key. */
void slu_crop(const struct slu_jpeg_options *opt, uint32_t width, uint32_t height, uint64_t key,
              struct slu_box *ret_box, bool *ret_flip);

#endif
