/* SPDX-License-Identifier: MIT */
/*
 * A decoder's life, the header's limits, libjpeg's errors, and the way of an image from bytes to
 * pixels. See jpeg.h.
 *
 * libjpeg's state is made anew for each image: it would keep the tables of the last one, and an image
 * without tables of its own would be decoded with those.
 *
 * What a hostile image can cost is bounded before it is paid: pixels by SLU_JPEG_MAX_PIXELS, and by what
 * its bytes could hold at all; libjpeg's memory for images in several scans by MAX_MEMORY; their time by
 * MAX_SCANS.
 */
#include "image/jpeg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "image/decoder.h"
#include "image/paint.h"

#include <jerror.h>

enum {
	MAX_SCANS = 100, /* what libjpeg's own encoder writes at most; usual are 10 */
	MAX_MEMORY = 1 << 30,
};

/* ---- libjpeg's errors ------------------------------------------------------------- */

static int error_number(int code)
{
	switch (code) {
	case JERR_OUT_OF_MEMORY:
		return -ENOMEM;
	case JERR_NO_BACKING_STORE: /* what libjpeg would do beyond MAX_MEMORY */
	case JERR_IMAGE_TOO_BIG:
	case JERR_WIDTH_OVERFLOW:
		return -EFBIG;
	case JERR_ARITH_NOTIMPL:
	case JERR_BAD_PRECISION:
	case JERR_CCIR601_NOTIMPL:
	case JERR_COMPONENT_COUNT:
	case JERR_CONVERSION_NOTIMPL:
	case JERR_FRACT_SAMPLE_NOTIMPL:
	case JERR_NOTIMPL:
	case JERR_NOT_COMPILED:
	case JERR_SOF_UNSUPPORTED:
		return -EOPNOTSUPP;
	default:
		return -EBADMSG;
	}
}

static void error_exit(j_common_ptr c)
{
	struct slu_jpeg *d = c->client_data;
	char text[JMSG_LENGTH_MAX];

	c->err->format_message(c, text);
	d->failed = slu_fail(error_number(c->err->msg_code), "this JPEG cannot be decoded: %s", text);
	longjmp(d->jump, 1);
}

/* Levels below 0 are warnings. Two of them are about nothing that we use. */
static void emit_message(j_common_ptr c, int level)
{
	struct slu_jpeg *d = c->client_data;

	if (level >= 0 || d->lenient || c->err->msg_code == JWRN_JFIF_MAJOR || c->err->msg_code == JWRN_ADOBE_XFORM)
		return;
	error_exit(c);
}

static void output_message(j_common_ptr c)
{
}

/* Called now and then while an image in several scans is read. */
static void progress(j_common_ptr c)
{
	struct slu_jpeg *d = c->client_data;

	if (d->c.input_scan_number <= MAX_SCANS)
		return;
	d->failed = slu_fail(-EBADMSG, "this JPEG has more than %d scans", MAX_SCANS);
	longjmp(d->jump, 1);
}

/* ---- the header ------------------------------------------------------------------- */

/* A code has one bit at least, and each MCU one code. That is not so with arithmetic coding, whose decoder
 * also takes missing data for zeros without a word: a few bytes could be any image of any size. */
static int check_limits(const struct slu_jpeg *d, size_t len)
{
	uint64_t w = d->c.image_width, h = d->c.image_height;
	uint64_t mw = (uint64_t)d->c.max_h_samp_factor * DCTSIZE, mh = (uint64_t)d->c.max_v_samp_factor * DCTSIZE;
	uint64_t mcus = (w + mw - 1) / mw * ((h + mh - 1) / mh);

	if (w * h > SLU_JPEG_MAX_PIXELS)
		return slu_fail(-EFBIG, "this JPEG says that it is %llu x %llu: more than %d pixels",
		                (unsigned long long)w, (unsigned long long)h, SLU_JPEG_MAX_PIXELS);
	if (d->c.arith_code)
		return slu_fail(-EOPNOTSUPP, "this JPEG is arithmetic-coded: damage in it could not be told");
	if (mcus / 8 > len)
		return slu_fail(-EBADMSG, "this JPEG says that it is %llu x %llu, which %zu bytes cannot hold",
		                (unsigned long long)w, (unsigned long long)h, len);
	return 0;
}

static int read_header(struct slu_jpeg *d, const void *data, size_t len)
{
	d->c.client_data = d;
	jpeg_create_decompress(&d->c);
	d->c.mem->max_memory_to_use = MAX_MEMORY;
	d->c.progress = &d->progress;
	jpeg_mem_src(&d->c, data, len);
	(void)jpeg_read_header(&d->c, TRUE);
	return check_limits(d, len);
}

/* ---- a decoder -------------------------------------------------------------------- */

int slu_jpeg_new(struct slu_jpeg **ret_decoder)
{
	struct slu_jpeg *d = calloc(1, sizeof(*d));

	if (!d)
		return slu_fail_memory();
	(void)jpeg_std_error(&d->errors);
	d->errors.error_exit = error_exit;
	d->errors.emit_message = emit_message;
	d->errors.output_message = output_message;
	d->progress.progress_monitor = progress;
	*ret_decoder = d;
	return 0;
}

void slu_jpeg_free(struct slu_jpeg *d)
{
	if (!d)
		return;
	for (int i = 0; i < 3; i++) {
		slu_axis_done(&d->axis[i][0]);
		slu_axis_done(&d->axis[i][1]);
	}
	slu_resize_scratch_done(&d->resizing);
	free(d->planes);
	free(d->resized);
	free(d->row);
	free(d);
}

/* ---- one image -------------------------------------------------------------------- */

/* A question to an image: its size, or, with options, its pixels. */
struct job {
	const void *data;
	size_t len;
	const struct slu_jpeg_options *opt; /* NULL: only the size is wanted */
	uint64_t key;
	void *out;
	size_t out_len;
	uint32_t width, height; /* the answer */
};

static int resize_planes(struct slu_jpeg *d, const struct slu_planes *p, struct slu_picture *pic)
{
	size_t n = slu_up((size_t)pic->width * pic->height, 64);
	int r = slu_scratch(&d->resized, &d->resized_bytes, n * p->count);

	for (uint32_t i = 0; i < p->count && r == 0; i++) {
		uint8_t *to = (uint8_t *)d->resized + i * n;

		r = slu_resize(&d->resizing, p->x[i], p->y[i], p->data[i], p->stride[i], to);
		pic->plane[i] = to;
	}
	return r;
}

static int decode(struct slu_jpeg *d, const struct job *job)
{
	const struct slu_jpeg_options *o = job->opt;
	struct slu_want want = { .planes = o->channels, .exact = o->exact };
	struct slu_planes planes = { 0 };
	int r;

	want.width = o->width ? o->width : d->c.image_width;
	want.height = o->height ? o->height : d->c.image_height;
	if (job->out_len != slu_jpeg_pixel_bytes(o) * want.width * want.height)
		return slu_fail(-EMSGSIZE, "this JPEG becomes %u x %u pixels: %zu bytes, where there is room for %zu",
		                want.width, want.height, slu_jpeg_pixel_bytes(o) * want.width * want.height,
		                job->out_len);
	slu_crop(o, d->c.image_width, d->c.image_height, job->key, &want.box, &want.flip);
	if (!o->exact && (d->c.jpeg_color_space == JCS_YCbCr || d->c.jpeg_color_space == JCS_GRAYSCALE))
		r = slu_planes_raw(d, &want, &planes);
	else
		r = slu_planes_rows(d, &want, &planes);
	if (r < 0)
		return r;
	struct slu_picture pic = { want.width, want.height, planes.count, planes.ycc, { NULL } };
	r = resize_planes(d, &planes, &pic);
	if (r == 0)
		r = slu_scratch(&d->row, &d->row_bytes, (size_t)want.width * 3);
	if (r == 0)
		slu_paint(o, &pic, d->row, job->out);
	return r;
}

static int answer(struct slu_jpeg *d, struct job *job)
{
	int r = read_header(d, job->data, job->len);

	if (r < 0)
		return r;
	job->width = d->c.image_width;
	job->height = d->c.image_height;
	return job->opt ? decode(d, job) : 0;
}

/* Everything that libjpeg may leave by a jump happens below here. */
static int run(struct slu_jpeg *d, struct job *job)
{
	int r;

	memset(&d->c, 0, sizeof(d->c));
	d->c.err = &d->errors;
	d->lenient = job->opt && job->opt->lenient;
	if (setjmp(d->jump))
		r = d->failed;
	else
		r = answer(d, job);
	jpeg_destroy_decompress(&d->c);
	return r;
}

int slu_jpeg_size(struct slu_jpeg *d, const void *data, size_t len, uint32_t *ret_width, uint32_t *ret_height)
{
	struct job job = { .data = data, .len = len };
	int r = run(d, &job);

	if (r < 0)
		return r;
	*ret_width = job.width;
	*ret_height = job.height;
	return 0;
}

int slu_jpeg_decode(struct slu_jpeg *d, const struct slu_jpeg_options *opt, const void *data, size_t len, uint64_t key,
                    void *out, size_t out_len)
{
	struct slu_jpeg_options o;
	struct job job = { .data = data, .len = len, .opt = &o, .key = key, .out = out, .out_len = out_len };
	int r = slu_jpeg_options(opt, &o);

	return r < 0 ? r : run(d, &job);
}

#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

const char *slu_jpeg_version(void)
{
	return "libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION);
}
