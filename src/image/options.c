/* SPDX-License-Identifier: MIT */
/* The options of a decoded image: checked, and what is 0 filled in. See sluice/image.h. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "base/options.h"
#include "image/jpeg.h"

static int check_numbers(const struct slu_jpeg_options *o)
{
	if (o->crop > SLU_CROP_RANDOM_RESIZED)
		return slu_fail(-EINVAL, "crop %u of a JPEG is not known", o->crop);
	if (o->dtype > SLU_F32)
		return slu_fail(-EINVAL, "type %u of decoded pixels is not known", o->dtype);
	if (o->layout > SLU_NHWC)
		return slu_fail(-EINVAL, "layout %u of decoded pixels is not known", o->layout);
	if (o->channels != 0 && o->channels != 1 && o->channels != 3)
		return slu_fail(-EINVAL, "%u channels: a JPEG is decoded to 1 or 3", o->channels);
	if (o->flip > 1 || o->exact > 1 || o->lenient > 1)
		return slu_fail(-EINVAL, "flip, exact and lenient are 0 or 1");
	return 0;
}

static int check_size(const struct slu_jpeg_options *o)
{
	if (o->width > SLU_JPEG_MAX_SIDE || o->height > SLU_JPEG_MAX_SIDE)
		return slu_fail(-EINVAL, "decoded images of %u x %u: at most %d x %d are possible", o->width, o->height,
		                SLU_JPEG_MAX_SIDE, SLU_JPEG_MAX_SIDE);
	if (!o->width != !o->height)
		return slu_fail(-EINVAL, "decoded images of %u x %u: give both width and height", o->width, o->height);
	if (!o->width && o->crop != SLU_CROP_NONE)
		return slu_fail(-EINVAL, "a crop needs the width and height of what is to come out");
	return 0;
}

/* Both 0 means the default. */
static bool range(float *min, float *max, float default_min, float default_max)
{
	if (*min == 0 && *max == 0) {
		*min = default_min;
		*max = default_max;
	}
	return isfinite(*min) && isfinite(*max) && *min > 0 && *min <= *max;
}

static int check_crop(struct slu_jpeg_options *o)
{
	if (!range(&o->scale_min, &o->scale_max, 0.08f, 1) || o->scale_max > 1)
		return slu_fail(-EINVAL, "a crop's area must be from above 0 to 1 of the image's");
	if (!range(&o->ratio_min, &o->ratio_max, 3.f / 4, 4.f / 3))
		return slu_fail(-EINVAL, "a crop's ratio of width to height must be above 0, the smaller one first");
	if (o->cover == 0)
		o->cover = 256.f / 224;
	if (!(o->cover >= 1 && o->cover <= 16))
		return slu_fail(-EINVAL, "cover is the image's size by the crop's: from 1 to 16");
	return 0;
}

static int check_float(struct slu_jpeg_options *o)
{
	for (int c = 0; c < 3; c++) {
		if (o->dtype != SLU_F32 && (o->mean[c] != 0 || o->std[c] != 0))
			return slu_fail(-EINVAL, "mean and std are for decoded pixels of type float");
		if (o->dtype == SLU_F32 && o->std[c] == 0)
			o->std[c] = 1;
		if (!isfinite(o->mean[c]) || !isfinite(o->std[c]) || o->std[c] < 0)
			return slu_fail(-EINVAL, "mean must be a number, and std one above 0");
	}
	return 0;
}

int slu_jpeg_options(const struct slu_jpeg_options *opt, struct slu_jpeg_options *ret_opt)
{
	struct slu_jpeg_options o;
	int r;

	r = slu_options_take(opt, sizeof(o), sizeof(o), &o);
	if (r < 0 || (r = check_numbers(&o)) < 0 || (r = check_size(&o)) < 0 || (r = check_crop(&o)) < 0 ||
	    (r = check_float(&o)) < 0)
		return r;
	o.size = sizeof(o);
	if (!o.channels)
		o.channels = 3;
	*ret_opt = o;
	return 0;
}

size_t slu_jpeg_pixel_bytes(const struct slu_jpeg_options *opt)
{
	return (opt->channels ? opt->channels : 3) * (opt->dtype == SLU_F32 ? sizeof(float) : 1);
}

int slu_jpeg_out_bytes(const struct slu_jpeg_options *opt, size_t *ret_bytes)
{
	struct slu_jpeg_options o;
	int r;

	r = slu_jpeg_options(opt, &o);
	if (r == 0)
		*ret_bytes = slu_jpeg_pixel_bytes(&o) * o.width * o.height;
	return r;
}
